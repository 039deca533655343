"""The softmax: over which axis, and whether it is one."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.model import State
from grader.exercises.attention.mask_faults import CATALOGUE, filled, uncleared
from grader.exercises.attention.model import attention, keeps

__all__ = ["CATALOGUE", "MASK_STYLES", "blocked_cleared", "minus_infinity"]

replaces = CATALOGUE.replaces


def _over(axis: int | None) -> Any:
    """A softmax over another axis, or over all entries of each matrix (None)."""

    def weights(s: State) -> Any:
        if axis is not None:
            return torch.softmax(s.masked, dim=axis)
        return torch.softmax(s.masked.flatten(-2), dim=-1).view_as(s.masked)

    return weights


def _everything(s: State) -> Any:
    return torch.softmax(s.masked.flatten(), dim=0).view_as(s.masked)


def _finite(s: State) -> Any:
    return filled(s, -1e300)


def blocked_cleared(s: State) -> Any:
    """Forbidden weights set to zero after the softmax, as a careful writer does."""
    keep = keeps(s)
    return s.weights if keep is None else s.weights.masked_fill(~keep, 0.0)


def minus_infinity(s: State) -> Any:
    """The scores with -inf wherever the mask forbids."""
    return filled(s, -math.inf)


# over another axis a whole line may be forbidden: what it gives depends on how the mask was filled
MASK_STYLES: tuple[dict[str, Any], ...] = (
    {"masked": minus_infinity, "cleared": uncleared},
    {"masked": _finite, "cleared": uncleared},
    {"masked": _finite, "cleared": blocked_cleared},
    {"masked": minus_infinity, "cleared": blocked_cleared},
)
for _weights in (_over(-2), _over(1), _over(0), _over(-3), _over(2), _over(None), _everything):
    for _style in MASK_STYLES:
        replaces(attention, "weights", id="softmax-wrong-axis", also=_style)(_weights)


def _implicit_axis(s: State) -> Any:
    axis = 0 if s.masked.dim() in (0, 1, 3) else 1  # what torch picks when no dim is given
    return torch.softmax(s.masked, dim=axis)


for _style in MASK_STYLES:
    replaces(attention, "weights", id="softmax-wrong-axis", also=_style)(_implicit_axis)


def _divided_over_queries(s: State) -> Any:
    raised = torch.exp(s.masked - s.masked.amax(dim=-1, keepdim=True))
    return raised / raised.sum(dim=-2, keepdim=True)


for _style in MASK_STYLES:
    replaces(attention, "weights", id="softmax-wrong-axis", also=_style)(_divided_over_queries)


@replaces(attention, "weights", id="softmax-wrong-axis", also={"cleared": uncleared})
def sum_without_keepdim(s: State) -> Any:
    raised = torch.exp(s.masked - s.masked.amax(dim=-1, keepdim=True))
    return raised / raised.sum(dim=-1)


def softmax_missing(s: State) -> Any:
    return s.masked


for _style in ({"cleared": uncleared}, *MASK_STYLES):
    replaces(attention, "weights", also=_style)(softmax_missing)


def _by_sum(s: State) -> Any:
    return s.masked / s.masked.sum(dim=-1, keepdim=True)


def _sigmoid(s: State) -> Any:
    return torch.sigmoid(s.masked)


for _style in (
    {"cleared": uncleared},
    *MASK_STYLES,
    {"masked": lambda s: filled(s, 0.0), "cleared": uncleared},
):
    replaces(attention, "weights", id="softmax-missing", also=_style)(_by_sum)
    replaces(attention, "weights", id="softmax-missing", also=_style)(_sigmoid)


@replaces(attention, "weights", tier="edge")
def softmax_unstable(s: State) -> Any:
    raised = torch.exp(s.masked)
    return raised / raised.sum(dim=-1, keepdim=True)


@replaces(attention, "weights", tier="edge", id="softmax-unstable")
def softmax_unstable_guarded(s: State) -> Any:
    raised = torch.exp(s.masked)
    total = raised.sum(dim=-1, keepdim=True)
    return raised / torch.where(total == 0, torch.ones_like(total), total)
