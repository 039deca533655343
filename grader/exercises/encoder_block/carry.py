"""The encoder block on top of the learner's own attention and norms."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from grader.diagnosis.model import Carried, Model, State
from grader.exercises.encoder_block.model import block
from grader.exercises.room import Room
from grader.submission.client import Callback

__all__ = ["carry"]


def carry(room: Room, parts: Mapping[str, Carried]) -> tuple[Room, ...]:
    """The room on the learner's parts; with AddNorm imported, the sums are AddNorm's as well."""
    models = []
    if "AddNorm" in parts:
        models.append(_on_add_norm({k: v for k, v in parts.items() if k != "LayerNorm"}))
    if "AddNorm" not in parts or "LayerNorm" in parts:
        plain = {k: v for k, v in parts.items() if k != "AddNorm"}
        models += [block.on(plain)] if plain else []
    return tuple(room.on({**room.models, block.target: model}) for model in models)


def _on_add_norm(parts: Mapping[str, Carried]) -> Model:
    """Each sublayer stands inside an AddNorm: asked first what it hands on, and then what it returns."""
    add_norm = parts["AddNorm"]

    def asked(s: State, name: str | None, x: Tensor, y: Tensor | None) -> Tensor:
        sublayer = Callback("constant", {"value": x if y is None else y})
        found: Tensor = add_norm(
            s,
            x,
            sublayer,
            init={"d_model": s.d_model, "dropout": s.dropout, "norm_first": s.order == "pre"},
            state={k: s.state[f"{name}.{k}"] for k in ("weight", "bias")},
            tap=y is None,
        )
        return found

    def attn_in(s: State) -> Tensor:
        return asked(s, s.first_norm, s.x, None)

    def middle(s: State) -> Tensor:
        return asked(s, s.first_norm, s.x, s.attn_out)

    def ffn_in(s: State) -> Tensor:
        return asked(s, s.second_norm, s.middle, None)

    def output(s: State) -> Tensor:
        return asked(s, s.second_norm, s.middle, s.ffn_out)

    return block.on(parts, attn_in=attn_in, middle=middle, ffn_in=ffn_in, output=output)
