"""Mistakes in the residual connections: what each sublayer's output is added to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from grader.diagnosis.model import State, Step
from grader.exercises.encoder_block.catalogue import family_in_orders, in_orders
from grader.exercises.encoder_block.parts import dropped, norm

__all__: list[str] = []

ONE = ("always",)  # seldom made in one order alone: pairs are searched, so variants cost


in_orders("residual-missing-attention", {"attn_sum": lambda s: s.attn_drop})
in_orders("residual-missing-ffn", {"ffn_sum": lambda s: s.ffn_drop})
in_orders("residual-from-block-input", {"ffn_sum": lambda s: s.x + s.ffn_drop})


def _first_of_normalised(s: State) -> Any:
    return norm(s, s.first_norm, s.x) + s.attn_drop


def _second_of_normalised(s: State) -> Any:
    return norm(s, s.second_norm, s.middle) + s.ffn_drop


# In both orders as well: a block that knows pre-LN only shows this mistake whatever norm_first says.
_OF_NORMALISED = {"attn_sum": _first_of_normalised, "ffn_sum": _second_of_normalised}
in_orders("residual-of-normalised", _OF_NORMALISED, ("pre", "always"))
in_orders("residual-of-normalised", {"attn_sum": _first_of_normalised}, ("pre",))
in_orders("residual-of-normalised", {"ffn_sum": _second_of_normalised}, ("pre",))

_FIRST_AFTER = {
    "attn_in": lambda s: s.x,
    "attn_sum": lambda s: s.x + norm(s, s.first_norm, s.attn_drop),
    "middle": lambda s: s.attn_sum,
}
_SECOND_AFTER = {
    "ffn_in": lambda s: s.middle,
    "ffn_sum": lambda s: s.middle + norm(s, s.second_norm, s.ffn_drop),
    "output": lambda s: s.ffn_sum,
}
in_orders("residual-after-norm", {**_FIRST_AFTER, **_SECOND_AFTER}, ("post", "always"))
in_orders("residual-after-norm", _FIRST_AFTER, ("post",))
in_orders("residual-after-norm", _SECOND_AFTER, ("post",))


# in pre-LN alone: what each sublayer gives is normalised in place of what it is given
_FIRST_OUT: dict[str, Step] = {
    "attn_in": lambda s: s.x,
    "attn_sum": lambda s: s.x + dropped(s, norm(s, s.first_norm, s.attn_out)),
}
_SECOND_OUT: dict[str, Step] = {
    "ffn_in": lambda s: s.middle,
    "ffn_sum": lambda s: s.middle + dropped(s, norm(s, s.second_norm, s.ffn_out)),
}
for _out in ({**_FIRST_OUT, **_SECOND_OUT}, _FIRST_OUT, _SECOND_OUT):
    in_orders("residual-after-norm", _out, ("pre",))

in_orders(
    "residual-not-normalised",
    {"middle": lambda s: s.attn_sum, "ffn_in": lambda s: norm(s, s.first_norm, s.attn_sum)},
    ("post",),
)
in_orders("residual-from-attention", {"ffn_sum": lambda s: s.attn_out + s.ffn_drop})
in_orders("residual-from-attention", {"ffn_sum": lambda s: s.attn_drop + s.ffn_drop}, ONE)


def _factor(value: float) -> float:
    """No number at zero: something left out is another mistake."""
    return value if abs(value) > 1e-6 else math.nan


def _scaled(
    form: Callable[[Tensor, Tensor, float], Tensor], places: str
) -> Callable[[float], dict[str, Step]]:
    """A sum with a factor, at the attention, at the FFN, or at both."""

    def build(value: float) -> dict[str, Step]:
        factor = _factor(value)
        table: dict[str, Step] = {
            "attn_sum": lambda s: form(s.x, s.attn_drop, factor),
            "ffn_sum": lambda s: form(s.middle, s.ffn_drop, factor),
        }
        return table if places == "both" else {places: table[places]}

    return build


def _of_sublayer(x: Tensor, y: Tensor, factor: float) -> Tensor:
    return x + factor * y


def _of_residual(x: Tensor, y: Tensor, factor: float) -> Tensor:
    return factor * x + y


def _of_sum(x: Tensor, y: Tensor, factor: float) -> Tensor:
    """In post-LN the norm takes the factor out again."""
    return factor * (x + y)


for _places in ("both", "attn_sum", "ffn_sum"):
    family_in_orders("sublayer-scaled", _scaled(_of_sublayer, _places), "factor", (-1.0, 0.25))
    family_in_orders("residual-scaled", _scaled(_of_residual, _places), "factor", (0.5, -1.0), ONE)
    family_in_orders("sum-scaled", _scaled(_of_sum, _places), "factor", (0.5, math.sqrt(0.5)), ONE)
_TWICE_FIRST = {"attn_sum": lambda s: 2 * s.x + s.attn_drop}
_TWICE_SECOND = {"ffn_sum": lambda s: 2 * s.middle + s.ffn_drop}
_TIMES_FIRST = {"attn_sum": lambda s: s.x * s.attn_drop}
_TIMES_SECOND = {"ffn_sum": lambda s: s.middle * s.ffn_drop}
_SELF_FIRST = {"attn_sum": lambda s: s.attn_out + s.attn_drop}
_SELF_SECOND = {"ffn_sum": lambda s: s.ffn_out + s.ffn_drop}
for _id, _first, _second in (
    ("residual-doubled", _TWICE_FIRST, _TWICE_SECOND),
    ("residual-multiplied", _TIMES_FIRST, _TIMES_SECOND),
    ("sublayer-added-to-itself", _SELF_FIRST, _SELF_SECOND),
):
    in_orders(_id, _first)
    in_orders(_id, _second)
    in_orders(_id, {**_first, **_second})
