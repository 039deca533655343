"""The mistakes people make in `combine_masks`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.masks.apply_faults import CATALOGUE
from grader.exercises.masks.model import combine

__all__ = ["CATALOGUE"]

replaces = CATALOGUE.replaces


def masks(s: State) -> tuple[Tensor, Tensor]:
    """Both masks as booleans."""
    return s.padding != 0, s.causal != 0


@replaces(combine, "both")
def combine_with_or(s: State) -> Any:
    keys, past = masks(s)
    return keys | past


def _sum_in(dtype: torch.dtype) -> Any:
    def both(s: State) -> Any:
        return s.padding.to(dtype) + s.causal.to(dtype)

    return both


for _dtype in (torch.int32, torch.int64, torch.float32, torch.uint8):
    replaces(combine, "both", id="combine-by-addition")(_sum_in(_dtype))


@replaces(combine, "both", id="combine-by-addition")
def combine_by_plain_addition(s: State) -> Any:
    return s.padding + s.causal  # of booleans: the same as `|`


@replaces(combine, "both")
def combine_with_xor(s: State) -> Any:
    keys, past = masks(s)
    return keys ^ past


@replaces(combine, "both")
def combine_by_equality(s: State) -> Any:
    keys, past = masks(s)
    return keys == past


@replaces(combine, "both")
def combine_ignores_padding(s: State) -> Any:
    return masks(s)[1].expand(s.padding.shape[0], 1, -1, -1)


@replaces(combine, "both", id="combine-ignores-padding")
def combine_returns_causal(s: State) -> Any:
    return masks(s)[1]


@replaces(combine, "both")
def combine_ignores_causal(s: State) -> Any:
    return masks(s)[0].expand(-1, -1, s.causal.shape[-1], -1)


@replaces(combine, "both", id="combine-ignores-causal")
def combine_returns_padding(s: State) -> Any:
    return masks(s)[0]


@replaces(combine, "both")
def combine_masks_queries_too(s: State) -> Any:
    keys, past = masks(s)
    return keys & keys.transpose(-2, -1) & past


@replaces(combine, "both", id="combine-masks-queries-too")
def combine_masks_queries_only(s: State) -> Any:
    keys, past = masks(s)
    return keys.transpose(-2, -1) & past


@replaces(combine, "both")
def combine_inverted(s: State) -> Any:
    keys, past = masks(s)
    return ~(keys & past)


@replaces(combine, "both")
def combine_inverts_one(s: State) -> Any:
    keys, past = masks(s)
    return ~keys & past


@replaces(combine, "both", id="combine-inverts-one")
def combine_inverts_causal(s: State) -> Any:
    keys, past = masks(s)
    return keys & ~past


@replaces(combine, "both", id="combine-inverts-one")
def combine_inverts_both(s: State) -> Any:
    keys, past = masks(s)
    return ~keys & ~past


@replaces(combine, "both")
def combine_allows_nothing(s: State) -> Any:
    return torch.zeros_like(combine.steps["both"](s))


@replaces(combine, "both", id="combine-allows-nothing")
def combine_allows_nothing_anywhere(s: State) -> Any:
    return torch.zeros_like(s.causal, dtype=torch.bool)


@replaces(combine, "both")
def combine_transposes_causal(s: State) -> Any:
    keys, past = masks(s)
    return keys & past.transpose(-2, -1)


@replaces(combine, "both")
def combine_first_sample(s: State) -> Any:
    keys, past = masks(s)
    return (keys[:1] & past).expand(len(keys), -1, -1, -1)


@replaces(combine, "both", id="combine-first-sample")
def combine_first_sample_alone(s: State) -> Any:
    keys, past = masks(s)
    return keys[:1] & past  # (1, 1, S, S)


def _changing(*names: str) -> Any:
    def both(s: State) -> Any:
        for name in names:
            s.touch(name)
        return combine.steps["both"](s)

    return both


for _names in (("causal",), ("padding",), ("causal", "padding")):
    replaces(combine, "both", id="combine-in-place")(_changing(*_names))


@replaces(combine, "joined")
def combine_drops_head_axis(s: State) -> Any:
    return s.both.squeeze(1)  # (B, S, S)


@replaces(combine, "joined")
def combine_extra_axis(s: State) -> Any:
    return s.both[:, None]  # (B, 1, 1, S, S)


@replaces(combine, "joined", id="combine-extra-axis")
def combine_axis_in_front(s: State) -> Any:
    return s.both[None]  # (1, B, 1, S, S)


@replaces(combine, "joined")
def combine_axes_exchanged(s: State) -> Any:
    return s.both.transpose(0, 1)  # (1, B, S, S)


@replaces(combine, "both", id="combine-drops-head-axis")
def combine_squeezes_padding(s: State) -> Any:
    keys, past = masks(s)
    return keys.squeeze() & past  # (B, S) against (S, S): raises unless B is S or 1


@replaces(combine, "both", id="mask-truthiness")
def combine_with_python_and(s: State) -> Any:
    return s.padding and s.causal  # raises


# -- only integers show it --------------------------------------------------------------------------


@replaces(combine, "result", tier="edge", id="mask-not-boolean")
def combine_keeps_integers(s: State) -> Any:
    return s.joined.to(torch.promote_types(s.padding.dtype, s.causal.dtype))


@replaces(combine, "result", tier="edge", id="mask-not-boolean")
def combine_keeps_dtype_of_causal(s: State) -> Any:
    return s.joined.to(s.causal.dtype)


@replaces(combine, "both", tier="edge", id="mask-bitwise-not-on-integers")
def combine_needs_booleans(s: State) -> Any:
    keep = s.padding.bool() if s.padding.dtype is torch.uint8 else s.padding  # uint8 only warns
    return torch.where(keep, s.causal, torch.zeros_like(s.causal))  # raises on other integers


@replaces(combine, "both", tier="edge", id="mask-bitwise-not-on-integers")
def combine_fills_with_not(s: State) -> Any:
    return (s.causal != 0).masked_fill(~s.padding, False)  # raises on integers


@replaces(combine, "both", tier="edge", id="mask-bitwise-not-on-integers")
def combine_negates_integers(s: State) -> Any:
    return ~((~s.padding).bool() | (~s.causal).bool())  # ~1 and ~0 are both true
