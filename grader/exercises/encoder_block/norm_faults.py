"""Mistakes in where the norms stand, and which."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.diagnosis.model import State, Step
from grader.exercises.encoder_block.catalogue import CATALOGUE, in_orders
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import EPS, norm

__all__: list[str] = []


@CATALOGUE.replaces(block, "order")
def norm_order_swapped(s: State) -> Any:
    return "post" if s.norm_first else "pre"


@CATALOGUE.replaces(block, "order", id="norm-first-ignored")
def always_post(s: State) -> Any:
    return "post"


@CATALOGUE.replaces(block, "order", id="norm-first-ignored")
def always_pre(s: State) -> Any:
    return "pre"


def _rate_as_flag(s: State) -> Any:
    return "pre" if s.dropout else "post"


def _flag_as_rate(name: str) -> Step:
    def step(s: State) -> Any:
        value = getattr(s, name)
        return torch.zeros_like(value) if s.train and s.norm_first else value

    return step


CATALOGUE.replaces(
    block,
    "order",
    id="add-norm-arguments-exchanged",
    also={"attn_drop": _flag_as_rate("attn_out"), "ffn_drop": _flag_as_rate("ffn_out")},
)(_rate_as_flag)


def _named(name: str | None) -> Step:
    return lambda s: name


in_orders("norm-shared", {"second_norm": _named("norm1")})
in_orders("norm-shared", {"first_norm": _named("norm2")}, ("always",))


def _one_instance(s: State) -> Any:
    """One module under both names: its weights are those that were set last, those of norm2."""
    for kind in ("weight", "bias"):
        if s.leaves.pop(f"param:norm2.{kind}", None) is not None:
            s.leaves[f"param:norm1.{kind}"] = s.state[f"norm2.{kind}"]
    return "norm2"


CATALOGUE.replaces(block, "first_norm", id="norm-shared")(_one_instance)
in_orders("norm-swapped", {"first_norm": _named("norm2"), "second_norm": _named("norm1")})
in_orders("norm-missing", {"first_norm": _named(None), "second_norm": _named(None)})
in_orders("norm-missing", {"first_norm": _named(None)})
in_orders("norm-missing", {"second_norm": _named(None)})


def _before_first(s: State) -> Any:
    return norm(s, s.first_norm, s.x)


def _after_first(s: State) -> Any:
    return norm(s, s.first_norm, s.attn_sum)


def _before_second(s: State) -> Any:
    return norm(s, s.second_norm, s.middle)


def _after_second(s: State) -> Any:
    return norm(s, s.second_norm, s.ffn_sum)


def _first_at_the_end(s: State) -> Any:
    return norm(s, s.first_norm, s.ffn_sum)


in_orders("norm-twice", {"output": _after_second}, ("pre",))
in_orders("norm-twice", {"output": _first_at_the_end}, ("pre",))
in_orders("norm-twice", {"middle": _after_first, "output": _after_second}, ("pre",))
in_orders("norm-twice", {"attn_in": _before_first}, ("post",))
in_orders("norm-twice", {"attn_in": _before_first, "ffn_in": _before_second}, ("post",))


def _sandwiched(total: str, name: str, x: str, y: str) -> dict[str, Step]:
    """The sublayer stands between two norms."""
    return {total: lambda s: getattr(s, x) + norm(s, getattr(s, name), getattr(s, y))}


_FIRST_SANDWICH = _sandwiched("attn_sum", "first_norm", "x", "attn_drop")
_SECOND_SANDWICH = _sandwiched("ffn_sum", "second_norm", "middle", "ffn_drop")
in_orders("norm-twice", {**_FIRST_SANDWICH, **_SECOND_SANDWICH}, ("pre",))


# -- one sublayer in each order ---------------------------------------------------------------------

_FIRST_PRE: dict[str, Step] = {"attn_in": _before_first, "middle": lambda s: s.attn_sum}
_FIRST_POST: dict[str, Step] = {"attn_in": lambda s: s.x, "middle": _after_first}
_SECOND_PRE: dict[str, Step] = {"ffn_in": _before_second, "output": lambda s: s.ffn_sum}
_SECOND_POST: dict[str, Step] = {"ffn_in": lambda s: s.middle, "output": _after_second}
in_orders("norm-order-mixed", _FIRST_POST, ("pre",))
in_orders("norm-order-mixed", _SECOND_POST, ("pre",))
in_orders("norm-order-mixed", _FIRST_PRE, ("post",))
in_orders("norm-order-mixed", _SECOND_PRE, ("post",))
in_orders("norm-order-mixed", {**_FIRST_PRE, **_SECOND_POST}, ("always",))
in_orders("norm-order-mixed", {**_FIRST_POST, **_SECOND_PRE}, ("always",))


# -- other statistics -------------------------------------------------------------------------------


def _with_statistics(form: Callable[[Tensor], Tensor]) -> dict[str, Step]:
    """All four norms with other statistics; gain and bias belong to the features as they should."""

    def scaled(s: State, name: str, x: Tensor) -> Tensor:
        return form(x) * s.state[f"{name}.weight"] + s.state[f"{name}.bias"]

    return {
        "attn_in": lambda s: scaled(s, s.first_norm, s.x) if s.order == "pre" else s.x,
        "middle": lambda s: scaled(s, s.first_norm, s.attn_sum) if s.order == "post" else s.attn_sum,
        "ffn_in": lambda s: scaled(s, s.second_norm, s.middle) if s.order == "pre" else s.middle,
        "output": lambda s: scaled(s, s.second_norm, s.ffn_sum) if s.order == "post" else s.ffn_sum,
    }


def _unbiased(x: Tensor) -> Tensor:
    d = x.shape[-1]
    return nn.functional.layer_norm(x, (d,), eps=EPS) * math.sqrt((d - 1) / d)


def _over_two_axes(x: Tensor) -> Tensor:
    return nn.functional.layer_norm(x, x.shape[1:], eps=EPS)


def _over_samples(x: Tensor) -> Tensor:
    """As nn.BatchNorm1d does: each feature over all positions of all samples."""
    flat = x.flatten(0, 1)
    mean, spread = flat.mean(dim=0), flat.var(dim=0, unbiased=False)
    return (x - mean) / torch.sqrt(spread + EPS)


in_orders("unbiased-variance", _with_statistics(_unbiased))
in_orders("normalises-two-axes", _with_statistics(_over_two_axes))
in_orders("normalises-batch-axis", _with_statistics(_over_samples))


def _over_sequence(name: str, step: str) -> Step:
    return lambda s: norm(s, getattr(s, name), getattr(s, step).transpose(1, 2)).transpose(1, 2)


for _alone in (("middle", "first_norm", "attn_sum"), ("output", "second_norm", "ffn_sum")):
    in_orders("normalises-sequence-axis", {_alone[0]: _over_sequence(*_alone[1:])}, ("post",))
in_orders(
    "normalises-sequence-axis",
    {"middle": _over_sequence("first_norm", "attn_sum"), "output": _over_sequence("second_norm", "ffn_sum")},
    ("post",),
)
in_orders(
    "normalises-sequence-axis",
    {"attn_in": _over_sequence("first_norm", "x"), "ffn_in": _over_sequence("second_norm", "middle")},
    ("pre",),
)


def _statistics_across(name: str, step: str) -> Step:
    """Mean and variance over the sequence; gain and bias still belong to the features."""

    def run(s: State) -> Any:
        prefix, x = getattr(s, name), getattr(s, step)
        found = nn.functional.layer_norm(x.transpose(1, 2), (x.shape[1],), eps=EPS).transpose(1, 2)
        return found * s.state[f"{prefix}.weight"] + s.state[f"{prefix}.bias"]

    return run


_ACROSS = {
    "middle": _statistics_across("first_norm", "attn_sum"),
    "output": _statistics_across("second_norm", "ffn_sum"),
}
in_orders("normalises-sequence-axis", _ACROSS, ("post",))
for _step, _wrong in _ACROSS.items():
    in_orders("normalises-sequence-axis", {_step: _wrong}, ("post",))
in_orders(
    "normalises-sequence-axis",
    {
        "attn_in": _statistics_across("first_norm", "x"),
        "ffn_in": _statistics_across("second_norm", "middle"),
    },
    ("pre",),
)
