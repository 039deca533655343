"""Mistakes in where dropout acts, and when."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.encoder_block.catalogue import in_orders
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import dropped

__all__: list[str] = []

ONE = ("always",)  # seldom made in one order alone: pairs are searched, so variants cost


def _always_dropped(name: str) -> Any:
    def step(s: State) -> Any:
        value = getattr(s, name)
        return torch.zeros_like(value) if s.dropout == 1.0 else value

    return step


def _dropped_in_eval(name: str) -> Any:
    """The mode is read the wrong way round."""

    def step(s: State) -> Any:
        value = getattr(s, name)
        return torch.zeros_like(value) if s.dropout == 1.0 and not s.train else value

    return step


_NEVER_FIRST = {"attn_drop": lambda s: s.attn_out}
_NEVER_SECOND = {"ffn_drop": lambda s: s.ffn_out}
in_orders("dropout-missing", {**_NEVER_FIRST, **_NEVER_SECOND}, absent=True)
in_orders("dropout-once", _NEVER_FIRST, absent=True)
in_orders("dropout-once", _NEVER_SECOND, absent=True)
_EVAL_FIRST = {"attn_drop": _always_dropped("attn_out")}
_EVAL_SECOND = {"ffn_drop": _always_dropped("ffn_out")}
in_orders("dropout-in-eval", {**_EVAL_FIRST, **_EVAL_SECOND}, ONE)
_EVAL_ONLY = {"attn_drop": _dropped_in_eval("attn_out"), "ffn_drop": _dropped_in_eval("ffn_out")}
in_orders("dropout-in-eval", _EVAL_ONLY, ONE)
in_orders("dropout-in-eval", _EVAL_FIRST, ONE)
in_orders("dropout-in-eval", _EVAL_SECOND, ONE)


def _sum_dropped(first: str, second: str) -> Any:
    def total(s: State) -> Any:
        value = getattr(s, first) + getattr(s, second)
        return torch.zeros_like(value) if s.train and s.dropout == 1.0 else value

    return total


_SUM_FIRST = {"attn_sum": _sum_dropped("x", "attn_out")}
_SUM_SECOND = {"ffn_sum": _sum_dropped("middle", "ffn_out")}
in_orders("dropout-on-residual", {**_SUM_FIRST, **_SUM_SECOND})
in_orders("dropout-on-residual", _SUM_FIRST, ONE)
in_orders("dropout-on-residual", _SUM_SECOND, ONE)


def _late(step: str) -> Any:
    """Dropout on what the norm gives."""
    return lambda s: dropped(s, block.steps[step](s))


_LATE_FIRST = {"middle": _late("middle"), **_NEVER_FIRST}
_LATE_SECOND = {"output": _late("output"), **_NEVER_SECOND}
in_orders("dropout-on-residual", {**_LATE_FIRST, **_LATE_SECOND}, ("post", "always"))


def _lost_without_a_rate(name: str) -> Any:
    """`dropout` taken for the share that is kept: all is lost at 0, nothing at 1."""

    def step(s: State) -> Any:
        value = getattr(s, name)
        return torch.zeros_like(value) if s.train and s.dropout == 0.0 else value

    return step


_KEPT_FIRST, _KEPT_SECOND = _lost_without_a_rate("attn_out"), _lost_without_a_rate("ffn_out")
in_orders("dropout-rate-ignored", {"attn_drop": _KEPT_FIRST, "ffn_drop": _KEPT_SECOND}, ONE)


def _input_dropped(s: State) -> Any:
    return torch.zeros_like(s.x) if s.train and s.dropout == 1.0 else s.x


def _rest_of_nothing(s: State) -> Any:
    """What is added to an input of which nothing is left."""
    return _input_dropped(s) + s.attn_drop


in_orders("dropout-on-residual", {"attn_sum": _rest_of_nothing}, ONE)
