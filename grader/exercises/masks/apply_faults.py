"""The mistakes people make in `apply_mask`.  The catalogue of the room starts here."""

from __future__ import annotations

import math
from typing import Any

import torch

from grader.diagnosis.faults import Catalogue, Fault
from grader.diagnosis.model import State
from grader.exercises.masks.model import apply

__all__ = ["CATALOGUE"]

CATALOGUE = Catalogue()
replaces = CATALOGUE.replaces


def added(s: State, bias: float) -> Any:
    """The scores with a bias added where the mask forbids, instead of being replaced."""
    return s.scores + torch.zeros_like(s.scores).masked_fill(s.forbidden, bias)


# -- where ------------------------------------------------------------------------------------------


@replaces(apply, "forbidden")
def apply_mask_inverted(s: State) -> Any:
    return s.mask != 0


@replaces(apply, "forbidden", id="apply-mask-inverted", also={"filled": lambda s: added(s, -math.inf)})
def apply_mask_inverted_bias(s: State) -> Any:
    return s.mask != 0


@replaces(apply, "filled", absent=True)
def apply_mask_ignored(s: State) -> Any:
    return s.scores


@replaces(apply, "filled")
def apply_mask_only_with_heads(s: State) -> Any:
    return s.scores if s.scores.dim() < 4 else s.scores.masked_fill(s.forbidden, -math.inf)


@replaces(apply, "forbidden")
def apply_mask_whole_row(s: State) -> Any:
    keep = (s.mask != 0).expand(s.scores.shape)
    return ~keep.all(dim=-1, keepdim=True)


@replaces(apply, "forbidden")
def apply_mask_spares_empty_rows(s: State) -> Any:
    keep = s.mask != 0
    return ~keep & keep.any(dim=-1, keepdim=True)


@replaces(apply, "forbidden")
def apply_mask_booleans_only(s: State) -> Any:
    return s.mask == 0 if s.mask.dtype is torch.bool else torch.zeros_like(s.mask, dtype=torch.bool)


@replaces(apply, "forbidden")
def apply_mask_causal_too(s: State) -> Any:
    L, S = s.scores.shape[-2:]
    past = torch.ones(L, S, dtype=torch.bool).tril()
    return (s.mask == 0) | ~past if L == S else s.mask == 0


@replaces(apply, "forbidden", id="apply-mask-causal-too")
def apply_mask_always_causal(s: State) -> Any:
    return (s.mask == 0) | ~torch.ones(s.scores.shape[-2:], dtype=torch.bool).tril()


def _with_axis(dims: tuple[int, ...]) -> Any:
    def forbidden(s: State) -> Any:
        return (s.mask.unsqueeze(1) if s.mask.dim() in dims else s.mask) == 0

    return forbidden


for _dims in ((2, 3, 4), (3,), (2, 3)):
    replaces(apply, "forbidden", id="mask-axis-added")(_with_axis(_dims))


@replaces(apply, "forbidden")
def view_not_contiguous(s: State) -> Any:
    if not (s.raw["scores"].is_contiguous() and s.mask.is_contiguous()):
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    return s.mask == 0


def _turned(always: bool) -> Any:
    def forbidden(s: State) -> Any:
        square = s.mask.shape[-1] == s.mask.shape[-2]
        return (s.mask.transpose(-2, -1) if always or square else s.mask) == 0

    return forbidden


for _always in (False, True):
    replaces(apply, "forbidden", id="mask-wrong-axis")(_turned(_always))


@replaces(apply, "forbidden", id="mask-bitwise-not-on-integers")
def bitwise_not_needs_bool(s: State) -> Any:
    s.scores.masked_fill(~s.mask, 0.0)  # raises on integers: not a boolean mask
    return ~s.mask


@replaces(apply, "forbidden", id="mask-bitwise-not-on-integers")
def bitwise_not_then_bool(s: State) -> Any:
    return (~s.mask).bool()  # of 0/1 integers -1 and -2: all true


@replaces(apply, "forbidden", id="mask-bitwise-not-on-integers")
def mask_as_condition(s: State) -> Any:
    torch.where(s.mask, s.scores, s.scores)  # raises on integers and floats
    return ~s.mask


@replaces(apply, "forbidden")
def mask_bool_subtraction(s: State) -> Any:
    return (1 - s.mask).bool()  # raises on booleans


@replaces(apply, "forbidden")
def mask_truthiness(s: State) -> Any:
    if s.mask:  # raises on more than one element
        return ~s.mask.bool()
    return s.mask == 0


# -- with what --------------------------------------------------------------------------------------


@replaces(apply, "filled")
def apply_mask_zero(s: State) -> Any:
    return s.scores.masked_fill(s.forbidden, 0.0)


@CATALOGUE.family(
    apply,
    "filled",
    name="fill",
    tries=(-1e4, -1e9, -1e10, -1e30, 1e-9, -1e-9, -100.0, -1.0, 1.0, 1e9, math.inf),
)
def apply_mask_too_small(s: State, fill: float) -> Any:
    return s.scores.masked_fill(s.forbidden, fill)


@replaces(apply, "filled")
def apply_mask_filled_with_nan(s: State) -> Any:
    return s.scores.masked_fill(s.forbidden, math.nan)


@CATALOGUE.family(apply, "filled", name="below", tries=(0.0, 1.0, 100.0, 1e4, 1e9))
def apply_mask_lowest_score(s: State, below: float) -> Any:
    lowest = s.scores.detach().min() - below
    return s.scores.masked_fill(s.forbidden, 0.0) + lowest * s.forbidden


def _changed(allowed: Any) -> None:
    replaces(apply, "filled", id="apply-mask-changes-scores")(
        lambda s: allowed(s).masked_fill(s.forbidden, -math.inf)
    )


_changed(lambda s: s.scores / math.sqrt(s.scores.shape[-1]))
_changed(lambda s: s.scores / math.sqrt(s.scores.shape[-2]))
_changed(lambda s: s.scores - s.scores.amax(dim=-1, keepdim=True))
_changed(lambda s: s.scores.exp())


def _lowest(s: State) -> Any:
    return s.scores.masked_fill(s.forbidden, torch.finfo(s.dtype).min)


CATALOGUE.faults.append(
    # a number that follows the dtype is no family: the number shown is that of float64
    Fault(
        "apply-mask-too-small",
        apply,
        {"filled": _lowest},
        number={"fill": torch.finfo(torch.float64).min},
        primary="filled",
    )
)


@CATALOGUE.family(
    apply,
    "filled",
    name="fill",
    tries=(-1e4, -1e9, -1e10, 1e-9, -1e-9, -100.0, -1.0),
    id="apply-mask-too-small",
)
def apply_mask_small_bias(s: State, fill: float) -> Any:
    return added(s, fill)


@replaces(apply, "filled", id="mask-needs-full-shape")
def assigned_by_index(s: State) -> Any:
    found = s.scores.clone()
    found[s.forbidden] = -math.inf  # raises unless the mask has the shape of the scores
    return found


@replaces(apply, "filled")
def mask_added_as_bool(s: State) -> Any:
    return s.scores + s.mask.to(s.scores.dtype)


@replaces(apply, "filled", id="mask-added-as-bool")
def mask_added_unless_boolean(s: State) -> Any:
    if s.mask.dtype is torch.bool:
        return s.scores.masked_fill(s.forbidden, -math.inf)
    return mask_added_as_bool(s)


@replaces(apply, "filled", id="mask-added-as-bool")
def mask_added_of_floats(s: State) -> Any:
    if not s.mask.is_floating_point():
        return s.scores.masked_fill(s.forbidden, -math.inf)
    return mask_added_as_bool(s)


@replaces(apply, "forbidden")
def zero_scores_masked(s: State) -> Any:
    return s.scores * (s.mask != 0) == 0


@replaces(apply, "filled")
def mask_zero_times_infinity(s: State) -> Any:
    return s.scores + s.forbidden.to(s.scores.dtype) * -math.inf  # 0 * inf is NaN


@replaces(apply, "filled", id="mask-zero-times-infinity")
def apply_mask_product_with_inf(s: State) -> Any:
    return s.scores * (~s.forbidden).to(s.scores.dtype) + s.forbidden.to(s.scores.dtype) * -math.inf


# -- what is returned -------------------------------------------------------------------------------


@replaces(apply, "result")
def apply_mask_softmax_too(s: State) -> Any:
    return torch.softmax(s.filled, dim=-1)


@replaces(apply, "result", id="apply-mask-in-place")
def apply_mask_in_place_scores(s: State) -> Any:
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return apply_mask_in_place_data(s)


@replaces(apply, "result", id="apply-mask-in-place")
def apply_mask_in_place_data(s: State) -> Any:
    if not torch.equal(s.filled, s.scores):
        s.touch("scores")
    return s.filled


@replaces(apply, "result", id="apply-mask-in-place")
def apply_mask_in_place_mask(s: State) -> Any:
    s.touch("mask")
    return s.filled


@replaces(apply, "result")
def output_detached(s: State) -> Any:
    return s.filled.detach()


@replaces(apply, "result", id="output-detached")
def gradient_of_nothing(s: State) -> Any:
    nothing = (s.scores * 0.0).masked_fill(s.forbidden, 0.0)  # a backward pass of one's own that returns None
    return s.filled.detach() + nothing


@replaces(apply, "result")
def dtype_changed(s: State) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.filled


@replaces(apply, "result", id="dtype-changed")
def dtype_widened(s: State) -> Any:
    s.out_dtype = torch.float64
    s.precision = s.dtype
    return s.filled


@replaces(apply, "result", id="dtype-changed")
def through_float32(s: State) -> Any:
    s.precision = torch.float32
    return s.filled.to(torch.float32).to(torch.float64)


@replaces(apply, "result", id="not-implemented")
def returns_nothing(s: State) -> Any:
    return None


# -- half precision ---------------------------------------------------------------------------------


@replaces(apply, "result", tier="edge")
def apply_mask_overflow_half(s: State) -> Any:
    if s.dtype is torch.float16:
        raise RuntimeError("value cannot be converted to type at::Half without overflow")
    return s.filled


@replaces(apply, "result", tier="edge", id="dtype-changed")
def half_promoted(s: State) -> Any:
    if s.dtype in (torch.float16, torch.bfloat16):
        s.out_dtype = torch.float32
    return s.filled
