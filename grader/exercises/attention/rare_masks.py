"""Rarer mistakes with the mask; they come after all common ones in the search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State, Step
from grader.exercises.attention.mask_faults import filled, uncleared
from grader.exercises.attention.model import attention, keeps
from grader.exercises.attention.softmax_faults import blocked_cleared

__all__ = ["register", "register_alone"]

Keep = Callable[[Tensor], Tensor]


def register(catalogue: Catalogue) -> None:
    """Adds the faults that exercise 4 takes over."""
    _fill(catalogue)
    _axes(catalogue)
    _made_up(catalogue)


def register_alone(catalogue: Catalogue) -> None:
    """Adds those of this exercise alone."""
    _kind(catalogue)
    _other_axes(catalogue)
    _when(catalogue)


def _scaled(s: State) -> Any:
    return s.scaled


def _repaired(s: State) -> Any:
    return s.weights.nan_to_num(nan=0.0)


def _hidden(s: State, scores: Tensor, fill: float = -math.inf) -> Any:
    keep = keeps(s)
    return scores if keep is None else scores.masked_fill(~keep, fill)


# -- what is filled in ------------------------------------------------------------------------------


def _fill(catalogue: Catalogue) -> None:
    for fill in (-1e9, -math.inf, -1e4):

        def cleared(s: State, fill: float = fill) -> Any:
            return _hidden(s, s.weights, fill)

        catalogue.replaces(attention, "cleared", id="mask-after-softmax", also={"masked": _scaled})(cleared)

    @catalogue.family(
        attention,
        "scaled",
        name="fill",
        tries=(-10.0, -60.0, -100.0, 1e-9, -1.0),
        id="mask-filled-too-small",
        also={"masked": _scaled, "cleared": uncleared},
    )
    def filled_before_scaling(s: State, fill: float) -> Any:
        return _hidden(s, s.scores, fill) / math.sqrt(s.query.shape[-1])


# -- of which dtype it may be -----------------------------------------------------------------------


def _kind(catalogue: Catalogue) -> None:
    @catalogue.replaces(attention, "masked", id="mask-inverted", also={"cleared": blocked_cleared})
    def inverted_then_cleared(s: State) -> Any:
        keep = keeps(s)
        return s.scaled if keep is None else s.scaled.masked_fill(keep, -1e300)

    # a query that may see every key then sees none: zeros after `nan_to_num`, or all alike by a finite fill
    for fill, repaired in ((-math.inf, True), (-1e300, False)):

        @catalogue.replaces(
            attention, "masked", id="mask-inverted", also={"cleared": _repaired if repaired else uncleared}
        )
        def inverted(s: State, fill: float = fill) -> Any:
            keep = keeps(s)
            return s.scaled if keep is None else s.scaled.masked_fill(keep, fill)

    @catalogue.replaces(attention, "masked", id="mask-filled-with-zero", also={"cleared": blocked_cleared})
    def zero_then_cleared(s: State) -> Any:
        return filled(s, 0.0)

    @catalogue.family(
        attention,
        "masked",
        name="fill",
        tries=(-1.0, 1e-9, -10.0, -100.0),
        id="mask-filled-too-small",
        also={"cleared": blocked_cleared},
    )
    def fill_then_cleared(s: State, fill: float) -> Any:
        return filled(s, fill)

    @catalogue.replaces(attention, "masked", also={"cleared": uncleared})
    def mask_filled_with_nan(s: State) -> Any:
        return filled(s, math.nan)

    for booleans in (True, False):  # filled where the mask is boolean, or not of floats

        @catalogue.replaces(attention, "masked", id="mask-added-as-bool", also={"cleared": uncleared})
        def numbers_added(s: State, booleans: bool = booleans) -> Any:
            if s.mask is None:
                return s.scaled
            filled_in = s.mask.dtype is torch.bool if booleans else not s.mask.is_floating_point()
            return filled(s, -math.inf) if filled_in else s.scaled + s.mask

    @catalogue.replaces(attention, "masked")
    def zero_scores_masked(s: State) -> Any:
        keep = keeps(s)
        return s.scaled if keep is None else s.scaled.masked_fill(s.scaled * keep == 0, -math.inf)

    @catalogue.replaces(attention, "masked")
    def mask_bool_subtraction(s: State) -> Any:
        if s.mask is not None and s.mask.dtype is torch.bool:
            raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported.")
        return attention.steps["masked"](s)

    @catalogue.replaces(attention, "masked")
    def mask_truthiness(s: State) -> Any:
        if s.mask is not None and s.mask.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return attention.steps["masked"](s)


# -- along which axes it lies -----------------------------------------------------------------------


def _seen_as(
    catalogue: Catalogue, id: str, keep_of: Keep, fill: float = -math.inf, zeroed: bool = False
) -> None:
    """The mask is used after `keep_of`; fill, zeroed: what becomes of rows without an allowed key."""

    def masked(s: State) -> Any:
        keep = keeps(s)
        return s.scaled if keep is None else s.scaled.masked_fill(~keep_of(keep), fill)

    def cleared(s: State) -> Any:
        keep = keeps(s)
        return s.weights if keep is None or not zeroed else s.weights.masked_fill(~keep_of(keep), 0.0)

    catalogue.replaces(attention, "masked", id=id, also={"cleared": cleared})(masked)


def _axes(catalogue: Catalogue) -> None:
    def turned(keep: Tensor) -> Tensor:
        return keep.transpose(-2, -1)

    _seen_as(catalogue, "mask-wrong-axis", lambda m: turned(m) if m.shape[-1] == m.shape[-2] else m)
    _seen_as(catalogue, "mask-wrong-axis", turned)

    @catalogue.replaces(attention, "masked", id="mask-needs-full-shape", also={"cleared": uncleared})
    def assigned(s: State) -> Any:
        keep = keeps(s)
        if keep is None:
            return s.scaled
        found = s.scaled.clone()
        found[~keep] = -math.inf  # raises unless the mask has the shape of the scores
        return found

    @catalogue.replaces(attention, "masked", id="length-fixed", also={"cleared": uncleared})
    def cut_square(s: State) -> Any:
        keep = keeps(s)
        if keep is None:
            return s.scaled
        L = s.query.shape[-2]
        return s.scaled.masked_fill(~keep[..., :L, :L], -math.inf)


def _other_axes(catalogue: Catalogue) -> None:
    def with_axis(*dims: int) -> Keep:
        return lambda m: m.unsqueeze(1) if m.dim() in dims else m

    for dims in ((2, 3, 4), (3,), (2, 3)):
        _seen_as(catalogue, "mask-axis-added", with_axis(*dims))

    def by_rows(m: Tensor) -> Tensor:
        return m.all(dim=-2, keepdim=True)

    for fill in (-math.inf, -1e300):  # a key that some query may not see is hidden from all queries,
        for zeroed in (False, True):  # and most rows lose every key
            _seen_as(catalogue, "mask-shared-by-rows", by_rows, fill, zeroed)
    _seen_as(catalogue, "mask-shared-by-rows", lambda m: m[..., :1, :])
    _seen_as(catalogue, "mask-shared-by-rows", lambda m: m[..., -1:, :])


# -- when it is applied -----------------------------------------------------------------------------


def _causal(scores: Tensor) -> Any:
    return scores.masked_fill(~torch.ones(scores.shape[-2:]).tril().bool(), -math.inf)


def _made_up(catalogue: Catalogue) -> None:
    @catalogue.replaces(attention, "masked", id="causal-by-default")
    def made_up(s: State) -> Any:
        return _causal(s.scaled) if s.mask is None else attention.steps["masked"](s)

    @catalogue.replaces(attention, "cleared", tier="edge", id="fully-masked-row-uniform")
    def skipped_when_empty(s: State) -> Any:
        keep = keeps(s)
        if keep is not None and not keep.any():
            return s.weights  # `if mask.any()`: one row without keys is cleared, a whole mask is not
        return attention.steps["cleared"](s)


def _when(catalogue: Catalogue) -> None:
    @catalogue.replaces(attention, "masked", id="causal-by-default")
    def always_causal(s: State) -> Any:
        return _causal(attention.steps["masked"](s))

    def only(applies: Callable[[State], bool]) -> Step:
        def masked(s: State) -> Any:
            return attention.steps["masked"](s) if s.mask is not None and applies(s) else s.scaled

        return masked

    conditions: tuple[Callable[[State], bool], ...] = (
        lambda s: s.query.dim() == 4,
        lambda s: s.query.dim() == 3,
        lambda s: s.mask.dim() == 4,
        lambda s: s.mask.dim() == 2,
        lambda s: s.mask.dtype is torch.bool,
        lambda s: s.query.shape[-2] == s.key.shape[-2],
    )
    for condition in conditions:
        catalogue.replaces(attention, "masked", id="mask-only-sometimes")(only(condition))
