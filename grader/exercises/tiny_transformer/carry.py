"""The tiny Transformer on top of the learner's own encoder and masks."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from grader.diagnosis.model import Carried, State, Step
from grader.exercises.room import Room
from grader.exercises.tiny_transformer.model import tiny

__all__ = ["carry"]


def carry(room: Room, parts: Mapping[str, Carried]) -> tuple[Room, ...]:
    """The room on the learner's parts (`run_encoder` asks for its own).

    Without a causal mask the encoder may be given the padding mask, or be left to make it itself: an
    encoder that does that wrongly shows in the one and not in the other.
    """
    steps: dict[str, Step] = {}
    if "padding_mask" in parts:
        steps["padding"] = _padding(parts["padding_mask"])
    if "causal_mask" in parts:
        steps["past"] = _past(parts["causal_mask"])
    if "combine_masks" in parts:
        steps["causal_keep"] = _combined(parts["combine_masks"])
    ways: list[dict[str, Step]] = [steps] if parts else []
    if "TransformerEncoder" in parts:
        ways.append({**steps, "handed": _left_to_the_encoder})
    return tuple(room.on({tiny.target: tiny.on(parts, **way)}) for way in ways)


def _left_to_the_encoder(s: State) -> Tensor | None:
    found: Tensor | None = s.keep_mask if s.causal else None
    return found


def _padding(part: Carried) -> Step:
    def padding(s: State) -> Tensor:
        found: Tensor = part(s, s.token_ids, s.pad_id)
        return found

    return padding


def _past(part: Carried) -> Step:
    def past(s: State) -> Tensor:
        found: Tensor = part(s, s.token_ids.shape[1])
        return found

    return past


def _combined(part: Carried) -> Step:
    def causal_keep(s: State) -> Tensor | None:
        found: Tensor | None = part(s, s.padding, s.past) if s.causal else None
        return found

    return causal_keep
