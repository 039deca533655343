"""The encoder on top of the learner's own blocks, positions, masks and norm."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from grader.diagnosis.model import Carried, State, Step
from grader.exercises.encoder.model import encoder
from grader.exercises.room import Room

__all__ = ["carry"]


def carry(room: Room, parts: Mapping[str, Carried]) -> tuple[Room, ...]:
    """The room on the learner's parts (`run_block` and `norm` ask for theirs themselves)."""
    steps: dict[str, Step] = {}
    if "SinusoidalPositionalEncoding" in parts:
        steps["positioned"] = _positioned(parts["SinusoidalPositionalEncoding"])
    if "padding_mask" in parts:
        steps["padding"] = _padding(parts["padding_mask"])
    return (room.on({encoder.target: encoder.on(parts, **steps)}),) if parts else ()


def _positioned(part: Carried) -> Step:
    def positioned(s: State) -> Tensor:
        init = {"d_model": s.d_model, "max_len": s.max_len, "dropout": s.dropout}
        table = s.state.get("positional_encoding.pe")  # a probe may set the table, and then it counts
        state = None if table is None else {"pe": table}
        found: Tensor = part(s, s.scaled, init=init, state=state)
        return found

    return positioned


def _padding(part: Carried) -> Step:
    def padding(s: State) -> Tensor:
        found: Tensor = part(s, s.token_ids, s.pad_id)
        return found

    return padding
