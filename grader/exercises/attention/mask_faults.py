"""Masks: with what they fill, where they are applied, and on which dtypes they work."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import State
from grader.exercises.attention.model import attention, keeps
from grader.exercises.attention.scale_faults import CATALOGUE

__all__ = ["CATALOGUE", "filled", "uncleared"]

replaces = CATALOGUE.replaces


def uncleared(s: State) -> Any:
    """Rows without an allowed key are left as the softmax gives them."""
    return s.weights


def filled(s: State, fill: float) -> Any:
    """The scores with a number where the mask forbids."""
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(~keep, fill)


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_filled_with_zero(s: State) -> Any:
    return filled(s, 0.0)


@CATALOGUE.family(
    attention,
    "masked",
    name="fill",
    tries=(1e-9, -1e-9, -1.0, 1.0, -5.0, -10.0, -20.0, -50.0, -100.0, -200.0, 1e4, 1e9),
    also={"cleared": uncleared},
)
def mask_filled_too_small(s: State, fill: float) -> Any:
    return filled(s, fill)


@CATALOGUE.family(
    attention,
    "masked",
    id="mask-filled-too-small",
    name="fill",
    tries=(-1.0, -10.0, -100.0, 1e4, 1e9),
    also={"cleared": uncleared},
)
def mask_added_too_small(s: State, fill: float) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled + fill * (~keep).double()


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_zero_times_infinity(s: State) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled + (~keep).double() * -math.inf


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_inverted(s: State) -> Any:
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(keep, -math.inf)


def _emptied(s: State) -> Any:
    """Rows without a key left are zeros, as many take care to make them."""
    return torch.nan_to_num(s.weights)


@replaces(attention, "masked", id="mask-inverted", also={"cleared": _emptied})
def mask_inverted_with_empty_rows(s: State) -> Any:
    return mask_inverted(s)


@replaces(attention, "masked", id="mask-inverted", also={"cleared": uncleared})
def mask_inverted_with_a_number(s: State) -> Any:
    """A large negative number in place of -inf: a row without a key left is uniform."""
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(keep, -1e9)


@replaces(attention, "masked", absent=True, also={"cleared": uncleared})
def mask_ignored(s: State) -> Any:
    return s.scaled


@replaces(attention, "cleared", also={"masked": lambda s: s.scaled})
def mask_after_softmax(s: State) -> Any:
    keep = keeps(s)
    return s.weights if keep is None else s.weights * keep


@replaces(attention, "cleared")
def allowed_weights_cleared(s: State) -> Any:
    keep = keeps(s)
    return s.weights if keep is None else s.weights.masked_fill(keep, 0.0)


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_multiplied(s: State) -> Any:
    return s.scaled if s.mask is None else s.scaled * s.mask


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_added_as_bool(s: State) -> Any:
    return s.scaled if s.mask is None else s.scaled + s.mask.to(s.scaled.dtype)


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_bitwise_not_on_integers(s: State) -> Any:
    if s.mask is None:
        return s.scaled
    flipped = ~s.mask  # raises on floats; on 0/1 integers gives -1 and -2, both "true"
    return s.scaled.masked_fill(flipped.bool(), -math.inf)


@replaces(attention, "masked", also={"cleared": uncleared}, id="mask-bitwise-not-on-integers")
def mask_bitwise_not_needs_bool(s: State) -> Any:
    if s.mask is None:
        return s.scaled
    return s.scaled.masked_fill(~s.mask, -math.inf)  # raises on integers: not a boolean mask


def _flipped(mask: Tensor) -> Tensor:
    """`(~mask).bool()`: on 0/1 integers -1 and -2, both true, so that every key is forbidden."""
    return (~(mask.long() if mask.is_floating_point() else mask)).bool()


def _flipped_bits(fill: float) -> Any:
    def masked(s: State) -> Any:
        return s.scaled if s.mask is None else s.scaled.masked_fill(_flipped(s.mask), fill)

    return masked


def _flipped_cleared(s: State) -> Any:
    return s.weights if s.mask is None else s.weights.masked_fill(_flipped(s.mask), 0.0)


def _raising_bits(s: State) -> Any:
    return s.scaled if s.mask is None else s.scaled.masked_fill((~s.mask).bool(), -math.inf)


replaces(attention, "masked", id="mask-bitwise-not-on-integers", also={"cleared": uncleared})(_raising_bits)
for _fill, _clear in ((-math.inf, uncleared), (-1e300, uncleared), (-1e300, _flipped_cleared)):
    replaces(attention, "masked", id="mask-bitwise-not-on-integers", also={"cleared": _clear})(
        _flipped_bits(_fill)
    )


@replaces(attention, "masked", also={"cleared": uncleared}, id="mask-bitwise-not-on-integers")
def mask_as_index(s: State) -> Any:
    if s.mask is None:
        return s.scaled
    return torch.where(s.mask, s.scaled, torch.tensor(-math.inf, dtype=torch.float64))


@replaces(attention, "scores", id="mask-in-place")
def mask_in_place_query(s: State) -> Any:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    s.touch("query")
    return s.query @ s.key.transpose(-2, -1)


@replaces(attention, "scores", id="mask-in-place", also={"scaled": lambda s: s.scores})
def mask_in_place_query_data(s: State) -> Any:
    s.touch("query")
    smaller = s.query / math.sqrt(s.query.shape[-1])
    hidden = s.query + (smaller - s.query).detach()  # autograd does not see a change of `.data`
    return hidden @ s.key.transpose(-2, -1)


@replaces(attention, "result", id="mask-in-place")
def mask_in_place_mask(s: State) -> Any:
    if s.mask is not None:
        s.touch("mask")
    return s.output, s.dropped


@replaces(attention, "result", id="mask-in-place")
def mask_in_place_float_mask(s: State) -> Any:
    if s.mask is not None and s.mask.dtype is s.dtype:  # `.to` makes no copy when nothing changes
        s.touch("mask")
    return s.output, s.dropped
