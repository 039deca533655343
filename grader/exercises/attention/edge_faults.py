"""What only the edges show: rows without an allowed key, half precision."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.attention.mask_faults import filled, uncleared
from grader.exercises.attention.model import attention, empty_rows, keeps
from grader.exercises.attention.softmax_faults import CATALOGUE

__all__ = ["CATALOGUE"]

replaces = CATALOGUE.replaces


@replaces(attention, "masked", tier="edge", also={"cleared": uncleared})
def fully_masked_row_nan(s: State) -> Any:
    return filled(s, -math.inf)


def _added_infinity(s: State) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled + torch.log(keep.double())


@replaces(
    attention,
    "cleared",
    tier="edge",
    id="fully-masked-row-nan-gradient",
    also={"masked": _added_infinity},
)
def fully_masked_row_nan_gradient(s: State) -> Any:
    return s.weights.nan_to_num(nan=0.0)  # zeros forward, but NaN times zero backward


def _renormalised(s: State, eps: float, guarded: bool = False) -> Any:
    keep = keeps(s)
    if keep is None:
        return s.weights
    left = s.weights * keep
    total = left.sum(dim=-1, keepdim=True)
    if eps == 0.0 and guarded:
        total = torch.where(total == 0, torch.ones_like(total), total)
    return left / (total + eps)


@replaces(attention, "cleared", tier="edge", also={"masked": lambda s: s.scaled})
def mask_after_softmax_renormalised(s: State) -> Any:
    return _renormalised(s, 0.0)


@replaces(
    attention,
    "cleared",
    tier="edge",
    id="mask-after-softmax-renormalised",
    also={"masked": lambda s: s.scaled},
)
def mask_after_softmax_renormalised_eps(s: State) -> Any:
    return _renormalised(s, 1e-9)


@replaces(
    attention,
    "cleared",
    tier="edge",
    id="mask-after-softmax-renormalised",
    also={"masked": lambda s: s.scaled},
)
def mask_after_softmax_renormalised_guarded(s: State) -> Any:
    return _renormalised(s, 0.0, guarded=True)


@replaces(attention, "masked", tier="edge", also={"cleared": uncleared})
def fully_masked_row_uniform(s: State) -> Any:
    return filled(s, -1e30)


@replaces(attention, "masked", tier="edge", also={"cleared": uncleared}, id="fully-masked-row-uniform")
def fully_masked_row_attends(s: State) -> Any:
    keep, empty = keeps(s), empty_rows(s)
    if keep is None or empty is None:
        return s.scaled
    return s.scaled.masked_fill(~keep & ~empty, -math.inf)


@replaces(attention, "scaled", tier="edge")
def mask_overflow_half(s: State) -> Any:
    if s.mask is not None and s.dtype is torch.float16:
        s.scaled_half = s.scores.to(torch.float16).masked_fill(~(s.mask != 0), -1e9)  # raises
    return s.scores / math.sqrt(s.query.shape[-1])


@replaces(attention, "scaled", tier="edge", id="mask-overflow-half")
def mask_overflow_half_added(s: State) -> Any:
    quotient = s.scores / math.sqrt(s.query.shape[-1])
    if s.mask is not None and s.dtype is torch.float16:
        return quotient + 0.0 * torch.tensor(-math.inf)  # (1 - mask) * -1e9 has become 0 * -inf
    return quotient


@replaces(attention, "output", tier="edge", id="dtype-changed")
def half_promoted_before_values(s: State) -> Any:
    if s.dtype in (torch.float16, torch.bfloat16):
        return s.dropped.float() @ s.value.to(s.dtype)  # raises: two dtypes
    return s.dropped @ s.value
