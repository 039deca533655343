"""Mistakes in what the sublayers read, in which order, and with which mask."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State, Step
from grader.exercises.encoder_block.catalogue import CATALOGUE, family_in_orders, in_orders
from grader.exercises.encoder_block.model import block
from grader.exercises.encoder_block.parts import attend, linear, norm

__all__: list[str] = []

ONE = ("always",)  # seldom made in one order alone: pairs are searched, so variants cost


def _network(s: State, x: Tensor) -> Tensor:
    found = torch.relu(linear(s, "feed_forward.linear1", x))
    return linear(s, "feed_forward.linear2", found)


_EXCHANGED = {
    "attn_out": lambda s: _network(s, s.attn_in),
    "ffn_out": lambda s: attend(s, "self_attn.", s.ffn_in, s.attn_mask, s.heads)[0],
}
_NORMS_TOO = {"first_norm": lambda s: "norm2", "second_norm": lambda s: "norm1"}
in_orders("ffn-before-attention", _EXCHANGED)
in_orders("ffn-before-attention", {**_NORMS_TOO, **_EXCHANGED})

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
in_orders("mask-inverted", {"attn_mask": lambda s: None if s.mask is None else s.mask == 0})


def _turned(s: State) -> Any:
    return None if s.mask is None else s.mask.transpose(-2, -1)


def _further_axis(axis: int) -> Step:
    return lambda s: None if s.mask is None else s.mask.unsqueeze(axis)


in_orders("mask-transposed", {"attn_mask": _turned})
for _axis in (0, 1):
    in_orders("mask-axis-added", {"attn_mask": _further_axis(_axis)}, ONE)
in_orders("num-heads-ignored", {"heads": lambda s: 1}, ONE)
in_orders("num-heads-ignored", {"heads": lambda s: s.d_model // s.num_heads}, ONE)  # the width for the number


def _past(s: State) -> Tensor:
    return torch.ones(s.x.shape[1], s.x.shape[1]).tril().bool()


def _given_past(s: State) -> Any:
    if s.mask is None:
        return _past(s)
    given = s.mask.unsqueeze(1) if s.mask.dim() == 3 else s.mask
    return given.bool() & _past(s)


def _fixed_heads(count: float) -> dict[str, Step]:
    def heads(s: State) -> int:
        number = max(1, round(count))
        if s.d_model % number:
            raise ValueError(f"d_model {s.d_model} is not divisible by num_heads {number}")
        return number

    return {"heads": heads}


family_in_orders("num-heads-fixed", _fixed_heads, "heads", (4.0, 8.0, 2.0), ONE)
in_orders("causal-mask-added", {"attn_mask": lambda s: _past(s) if s.mask is None else s.mask}, ONE)
in_orders("causal-mask-added", {"attn_mask": _given_past}, ONE)


def _partly_raw(raw: str) -> Step:
    """Of query, key and value those named are what the norm should have changed."""

    def attended(s: State) -> Any:
        query, keys, values = (s.x if name in raw else s.attn_in for name in "qkv")
        return attend(s, "self_attn.", query, s.attn_mask, s.heads, keys=keys, values=values)

    return attended


for _raw in ("kv", "q", "v", "k", "qk", "qv"):
    in_orders("key-value-not-normalised", {"attended": _partly_raw(_raw)}, ("pre",))


def _over_batch(s: State) -> Any:
    output, weights = attend(s, "self_attn.", s.attn_in.transpose(0, 1), s.attn_mask, s.heads)
    return output.transpose(0, 1), weights


in_orders("attention-over-batch", {"attended": _over_batch})


@CATALOGUE.replaces(block, "attn_drop")
def attention_tuple_not_unpacked(s: State) -> Any:
    raise TypeError("unsupported operand type(s) for +: 'Tensor' and 'tuple'")


@CATALOGUE.replaces(block, "attn_drop", id="attention-tuple-not-unpacked")
def tuple_has_no_method(s: State) -> Any:
    raise AttributeError("'tuple' object has no attribute 'shape'")


def _across_samples(s: State) -> Any:
    flat = s.attn_in.reshape(1, -1, s.d_model)  # one long sequence
    output, weights = attend(s, "self_attn.", flat, s.attn_mask, s.heads)
    return output.view_as(s.attn_in), weights


def _across_samples_unmasked(s: State) -> Any:
    flat = s.attn_in.reshape(1, -1, s.d_model)
    output, weights = attend(s, "self_attn.", flat, None, s.heads)
    return output.view_as(s.attn_in), weights


in_orders("attention-over-batch", {"attended": _across_samples})
in_orders("attention-over-batch", {"attended": _across_samples_unmasked})
in_orders("attention-weights-used", {"attn_out": lambda s: s.attended[1]}, ONE)


def _again(s: State) -> Any:
    once: Tensor = s.attended[0]
    return attend(s, "self_attn.", once, s.attn_mask, s.heads)[0]


in_orders("attention-twice", {"attn_out": _again})


def _lacking(s: State) -> Any:
    raise TypeError("MultiHeadAttention.forward() missing 1 required positional argument: 'value'")


def _mask_as_value(s: State) -> Any:
    if s.mask is None:
        raise TypeError("linear(): argument 'input' (position 1) must be Tensor, not NoneType")
    return attend(s, "self_attn.", s.attn_in, None, s.heads, values=s.mask)


in_orders("attention-called-wrongly", {"attended": _lacking})
in_orders("attention-called-wrongly", {"attended": _mask_as_value})
