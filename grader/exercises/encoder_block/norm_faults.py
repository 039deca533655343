"""Mistakes in where the norms stand, and which."""

from __future__ import annotations

from typing import Any

from torch import nn

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


def _named(name: str | None) -> Step:
    return lambda s: name


in_orders("norm-shared", {"second_norm": _named("norm1")})
in_orders("norm-shared", {"first_norm": _named("norm2")}, ("always",))
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


in_orders("norm-twice", {"output": _after_second}, ("pre",))
in_orders("norm-twice", {"middle": _after_first, "output": _after_second}, ("pre",))
in_orders("norm-twice", {"attn_in": _before_first}, ("post",))
in_orders("norm-twice", {"attn_in": _before_first, "ffn_in": _before_second}, ("post",))


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
