"""Mistakes in what the sublayers read, and in what their outputs are added to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.encoder_block.catalogue import CATALOGUE, in_orders
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import attend, dropped, linear, norm

__all__: list[str] = []

ONE = ("always",)  # seldom made in one order alone: pairs are searched, so variants cost


# -- residuals --------------------------------------------------------------------------------------

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

in_orders(
    "residual-not-normalised",
    {"middle": lambda s: s.attn_sum, "ffn_in": lambda s: norm(s, s.first_norm, s.attn_sum)},
    ("post",),
)
in_orders("residual-from-attention", {"ffn_sum": lambda s: s.attn_out + s.ffn_drop})
in_orders("residual-from-attention", {"ffn_sum": lambda s: s.attn_drop + s.ffn_drop}, ONE)


def _scaled(change: Callable[[Tensor, Tensor], Tensor]) -> None:
    both = {
        "attn_sum": lambda s: change(s.x, s.attn_drop),
        "ffn_sum": lambda s: change(s.middle, s.ffn_drop),
    }
    in_orders("residual-scaled", both, ONE)


_scaled(lambda x, y: x - y)
_scaled(lambda x, y: (x + y) / 2)
_scaled(lambda x, y: (x + y) / math.sqrt(2))
_scaled(lambda x, y: x + y / 2)
in_orders("residual-doubled", {"attn_sum": lambda s: 2 * s.x + s.attn_drop})
in_orders("residual-doubled", {"ffn_sum": lambda s: 2 * s.middle + s.ffn_drop}, ONE)
in_orders("residual-multiplied", {"attn_sum": lambda s: s.x * s.attn_drop}, ONE)
in_orders("residual-multiplied", {"ffn_sum": lambda s: s.middle * s.ffn_drop})
in_orders("sublayer-added-to-itself", {"attn_sum": lambda s: s.attn_out + s.attn_drop}, ONE)
in_orders("sublayer-added-to-itself", {"ffn_sum": lambda s: s.ffn_out + s.ffn_drop}, ONE)


# -- what the sublayers read ------------------------------------------------------------------------


def _network(s: State, x: Tensor) -> Tensor:
    found = torch.relu(linear(s, "feed_forward.linear1", x))
    return linear(s, "feed_forward.linear2", found)


_EXCHANGED = {
    "attn_out": lambda s: _network(s, s.attn_in),
    "ffn_out": lambda s: attend(s, "self_attn.", s.ffn_in, s.attn_mask, s.heads)[0],
}
_NORMS_TOO = {"first_norm": lambda s: "norm2", "second_norm": lambda s: "norm1"}
in_orders("ffn-before-attention", _EXCHANGED, ONE)
in_orders("ffn-before-attention", {**_NORMS_TOO, **_EXCHANGED}, ONE)

in_orders("ffn-parallel", {"ffn_in": lambda s: norm(s, s.second_norm, s.x) if s.order == "pre" else s.x})
in_orders("ffn-parallel", {"ffn_in": lambda s: norm(s, s.first_norm, s.x)}, ("pre",))
in_orders("attention-skipped", {"middle": lambda s: s.x})
in_orders("attention-skipped", {"middle": lambda s: norm(s, s.first_norm, s.x)}, ("post",))
in_orders("ffn-skipped", {"output": lambda s: s.middle})
in_orders("attention-replaced-by-ffn", {"attn_out": lambda s: _network(s, s.attn_in)}, ONE)


def _unsummed(s: State) -> Any:
    return norm(s, s.second_norm, s.attn_drop) if s.order == "pre" else s.attn_drop


in_orders("ffn-reads-sublayer", {"ffn_in": _unsummed})
in_orders("ffn-twice", {"ffn_out": lambda s: _network(s, _network(s, s.ffn_in))}, ONE)

in_orders("mask-not-passed", {"attn_mask": lambda s: None})
in_orders("mask-inverted", {"attn_mask": lambda s: None if s.mask is None else s.mask == 0}, ONE)
in_orders("num-heads-ignored", {"heads": lambda s: 1}, ONE)
in_orders("num-heads-ignored", {"heads": lambda s: s.d_model // s.num_heads}, ONE)  # the width for the number


def _past(s: State) -> Tensor:
    return torch.ones(s.x.shape[1], s.x.shape[1]).tril().bool()


def _given_past(s: State) -> Any:
    if s.mask is None:
        return _past(s)
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return given.bool() & _past(s)


in_orders("causal-mask-added", {"attn_mask": lambda s: _past(s) if s.mask is None else s.mask}, ONE)
in_orders("causal-mask-added", {"attn_mask": _given_past}, ONE)


def _raw_keys(s: State) -> Any:
    return attend(s, "self_attn.", s.attn_in, s.attn_mask, s.heads, keys=s.x)


def _raw_query(s: State) -> Any:
    return attend(s, "self_attn.", s.x, s.attn_mask, s.heads, keys=s.attn_in)


def _raw_values(s: State) -> Any:
    return attend(s, "self_attn.", s.attn_in, s.attn_mask, s.heads, values=s.x)


def _raw_keys_only(s: State) -> Any:
    return attend(s, "self_attn.", s.attn_in, s.attn_mask, s.heads, keys=s.x, values=s.attn_in)


for _wrong in (_raw_keys, _raw_query, _raw_values, _raw_keys_only):
    in_orders("key-value-not-normalised", {"attended": _wrong}, ("pre",))


def _over_batch(s: State) -> Any:
    output, weights = attend(s, "self_attn.", s.attn_in.transpose(0, 1), s.attn_mask, s.heads)
    return output.transpose(0, 1), weights


in_orders("attention-over-batch", {"attended": _over_batch})


@CATALOGUE.replaces(block, "attn_out")
def attention_tuple_not_unpacked(s: State) -> Any:
    raise TypeError("unsupported operand type(s) for +: 'Tensor' and 'tuple'")


@CATALOGUE.replaces(block, "attn_out", id="attention-tuple-not-unpacked")
def tuple_has_no_method(s: State) -> Any:
    raise AttributeError("'tuple' object has no attribute 'shape'")


# -- dropout ----------------------------------------------------------------------------------------


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
in_orders("dropout-once", _NEVER_FIRST, ONE, absent=True)
in_orders("dropout-once", _NEVER_SECOND, ONE, absent=True)
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


in_orders(
    "dropout-on-residual",
    {"attn_sum": _sum_dropped("x", "attn_out"), "ffn_sum": _sum_dropped("middle", "ffn_out")},
    ONE,
)


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


# -- gradients, arguments, dtype, what is returned --------------------------------------------------


@CATALOGUE.replaces(block, "attn_out", id="output-detached")
def attention_detached(s: State) -> Any:
    return s.attended[0].detach()


@CATALOGUE.replaces(block, "result")
def output_detached(s: State) -> Any:
    block.steps["result"](s)
    return s.output.detach()


def _in_place(s: State) -> Any:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if bool(s.attn_drop.any()):  # adding zero changes nothing
        s.touch("x")
    return s.x + s.attn_drop


in_orders("input-modified", {"attn_sum": _in_place})


@CATALOGUE.replaces(block, "result", id="dtype-changed")
def float32_returned(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.output


@CATALOGUE.replaces(block, "result", id="dtype-changed")
def computed_in_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.output


def _with(second: Any) -> Any:
    def result(s: State) -> Any:
        block.steps["result"](s)
        return s.output, second(s)

    return result


CATALOGUE.replaces(block, "result", id="returns-tuple")(_with(lambda s: None))
CATALOGUE.replaces(block, "result", id="returns-tuple")(_with(lambda s: s.attended[1]))
