"""The mistakes people make in scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State
from grader.exercises.attention.faults_rare import register as register_rare
from grader.exercises.attention.model import attention, empty_rows, keeps

__all__ = ["CATALOGUE", "COMMON"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces


def uncleared(s: State) -> Any:
    """Rows without an allowed key are left as the softmax gives them."""
    return s.weights


def filled(s: State, fill: float) -> Any:
    """The scores with a number where the mask forbids."""
    keep = keeps(s)
    return s.scaled if keep is None else s.scaled.masked_fill(~keep, fill)


# -- the scale --------------------------------------------------------------------------------------


@replaces(attention, "scaled", absent=True)
def missing_scale(s: State) -> Any:
    return s.scores


@replaces(attention, "scaled")
def scale_without_sqrt(s: State) -> Any:
    return s.scores / s.query.shape[-1]


@replaces(attention, "scaled")
def scale_multiplied(s: State) -> Any:
    return s.scores * math.sqrt(s.query.shape[-1])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_length(s: State) -> Any:
    return s.scores / math.sqrt(s.key.shape[-2])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_queries(s: State) -> Any:
    return s.scores / math.sqrt(s.query.shape[-2])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_value_width(s: State) -> Any:
    return s.scores / math.sqrt(s.value.shape[-1])


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_second_axis(s: State) -> Any:
    heads = s.query.shape[1] if s.query.dim() == 4 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_any_third_axis(s: State) -> Any:
    heads = s.query.shape[-3] if s.query.dim() > 2 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "scaled", id="scale-by-d-model")
def scale_by_total_width(s: State) -> Any:
    heads = s.query.shape[-3] if s.query.dim() > 3 else 1
    return s.scores / math.sqrt(s.query.shape[-1] * heads)


@replaces(attention, "weights", also={"scaled": lambda s: s.scores})
def scale_after_softmax(s: State) -> Any:
    return torch.softmax(s.masked, dim=-1) / math.sqrt(s.query.shape[-1])


# -- the mask ---------------------------------------------------------------------------------------


@replaces(attention, "masked", also={"cleared": uncleared})
def mask_filled_with_zero(s: State) -> Any:
    return filled(s, 0.0)


@CATALOGUE.family(
    attention,
    "masked",
    name="fill",
    tries=(1e-9, -1e-9, -1.0, 1.0, -5.0, -10.0, -20.0, -50.0, -100.0, -200.0, 1e4, 1e9, math.inf),
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


@replaces(attention, "masked", absent=True, also={"cleared": uncleared})
def mask_ignored(s: State) -> Any:
    return s.scaled


@replaces(attention, "cleared", also={"masked": lambda s: s.scaled})
def mask_after_softmax(s: State) -> Any:
    keep = keeps(s)
    return s.weights if keep is None else s.weights * keep


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


# -- the softmax ------------------------------------------------------------------------------------


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


# -- edges of the mask ------------------------------------------------------------------------------


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


@replaces(attention, "scores", tier="edge", id="half-precision-overflow")
def scores_overflow_half(s: State) -> Any:
    product = s.query @ s.key.transpose(-2, -1)
    return product.to(s.dtype).to(torch.float64)


# -- the products -----------------------------------------------------------------------------------


def _product(transposed: Any) -> Any:
    def scores(s: State) -> Any:
        return s.query @ transposed(s.key)

    return scores


for _transposed in (
    lambda k: k,
    lambda k: k.permute(*reversed(range(k.dim()))),
    lambda k: k.transpose(0, 1),
    lambda k: k.transpose(1, 2),
):
    replaces(attention, "scores", id="key-not-transposed")(_product(_transposed))


@replaces(attention, "scores", id="key-not-transposed")
def key_reshaped(s: State) -> Any:
    *lead, S, d_k = s.key.shape
    return s.query @ s.key.reshape(*lead, d_k, S)


@replaces(attention, "scores")
def query_key_swapped(s: State) -> Any:
    return s.key @ s.query.transpose(-2, -1)


@replaces(attention, "output")
def value_is_key(s: State) -> Any:
    return s.dropped @ s.key


@replaces(attention, "output", id="value-is-key")
def value_is_query(s: State) -> Any:
    return s.dropped @ s.query


@replaces(attention, "output", id="value-is-key")
def value_ignored(s: State) -> Any:
    return s.value


@replaces(attention, "output", id="value-is-key")
def value_as_ones(s: State) -> Any:
    return s.dropped @ torch.ones_like(s.value)


@replaces(attention, "output")
def weights_transposed(s: State) -> Any:
    return s.dropped.transpose(-2, -1) @ s.value


# -- dropout ----------------------------------------------------------------------------------------


@replaces(attention, "weights", also={"dropped": lambda s: s.cleared})
def dropout_on_scores(s: State) -> Any:
    return torch.softmax(s.masked if s.dropout is None else s.dropout(s.masked), dim=-1)


@replaces(attention, "masked", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_before_mask(s: State) -> Any:
    keep = keeps(s)
    found = s.scaled if s.dropout is None else s.dropout(s.scaled)
    return found if keep is None else found.masked_fill(~keep, -math.inf)


@replaces(attention, "output", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_on_output(s: State) -> Any:
    mixed = s.cleared @ s.value
    return mixed if s.dropout is None else s.dropout(mixed)


@replaces(attention, "output", id="dropout-on-scores", also={"dropped": lambda s: s.cleared})
def dropout_on_values(s: State) -> Any:
    return s.cleared @ (s.value if s.dropout is None else s.dropout(s.value))


@replaces(attention, "dropped", absent=True)
def dropout_ignored(s: State) -> Any:
    return s.cleared


# -- what is returned -------------------------------------------------------------------------------


def _returning(second: Any) -> Any:
    def result(s: State) -> Any:
        return s.output, second(s)

    return result


replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.scores))
replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.scaled))
replaces(attention, "result", id="weights-are-scores")(_returning(lambda s: s.masked))
replaces(attention, "result", id="weights-returned-before-mask")(
    _returning(lambda s: torch.softmax(s.scaled, dim=-1))
)


@replaces(attention, "result", id="weights-returned-before-mask")
def weights_before_mask_dropped(s: State) -> Any:
    found = torch.softmax(s.scaled, dim=-1)
    return s.output, found if s.dropout is None else s.dropout(found)


replaces(attention, "result", id="weights-returned-before-dropout")(_returning(lambda s: s.cleared))


@replaces(attention, "result")
def returns_output_only(s: State) -> Any:
    return s.output


@replaces(attention, "result", id="returns-output-only")
def returns_dictionary(s: State) -> Any:
    return {"output": s.output, "weights": s.dropped}


@replaces(attention, "result", id="returns-output-only")
def returns_weights_first(s: State) -> Any:
    return s.dropped, s.output


@replaces(attention, "result")
def output_detached(s: State) -> Any:
    return s.output.detach(), s.dropped


@replaces(attention, "weights", id="output-detached")
def weights_detached(s: State) -> Any:
    return torch.softmax(s.masked, dim=-1).detach()


@replaces(attention, "result")
def dtype_changed(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.output, s.dropped


@replaces(attention, "result", id="dtype-changed")
def computed_in_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.output, s.dropped


@replaces(attention, "output", id="dtype-changed")
def weights_in_float32(s: State) -> Any:
    narrow: Tensor = s.dropped.to(torch.float32)
    return narrow @ s.value.to(s.dtype)


@replaces(attention, "scores", id="dtype-changed")
def mixed_dtypes(s: State) -> Any:
    return s.query.to(torch.float32) @ s.key.to(s.dtype).transpose(-2, -1)


# -- the shapes accepted ----------------------------------------------------------------------------


def _only(*dims: int) -> Any:
    def scores(s: State) -> Any:
        if s.query.dim() not in dims:
            raise IndexError("Dimension out of range: written for fewer or more dimensions")
        return s.query @ s.key.transpose(-2, -1)

    return scores


for _dims in ((3,), (4,), (3, 4), (2, 3), (3, 4, 5), (2, 3, 4)):
    replaces(attention, "scores", id="leading-dims-fixed")(_only(*_dims))


COMMON = len(CATALOGUE.faults)  # those from here on come last, in exercise 4 too
register_rare(CATALOGUE)


# where in the source (see grader.diagnosis.places)
CATALOGUE.place("softmax-unstable", "exp")
CATALOGUE.place("half-precision-overflow", "@", "matmul", "bmm", "einsum")
CATALOGUE.place("softmax-missing", "sigmoid", "weights=", "attn=", "attention=")
