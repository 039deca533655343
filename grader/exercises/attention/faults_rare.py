"""Rarer mistakes in scaled dot-product attention; they come last in the search."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State, Step
from grader.exercises.attention.model import attention, keeps

__all__ = ["register"]


def register(catalogue: Catalogue) -> None:
    """Adds these faults to the catalogue."""
    _scale(catalogue)
    _mask(catalogue)
    _softmax(catalogue)
    _dropout(catalogue)
    _shapes(catalogue)
    _in_place(catalogue)


def _uncleared(s: State) -> Any:
    return s.weights


def _scaled(s: State) -> Any:
    return s.scaled


def _root(s: State) -> float:
    return math.sqrt(s.query.shape[-1])


def _hidden(s: State, scores: Tensor, fill: float = -math.inf) -> Any:
    keep = keeps(s)
    return scores if keep is None else scores.masked_fill(~keep, fill)


# -- the scale --------------------------------------------------------------------------------------


def _scale(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces
    divisors: tuple[tuple[str, Callable[[State], float]], ...] = (
        ("scale-by-d-model", lambda s: math.sqrt(s.query.shape[1])),  # the length, or the heads
        ("scale-by-d-model", lambda s: math.sqrt(s.query.shape[0])),
        ("scale-by-d-model", lambda s: math.sqrt(max(s.query.shape[-1] - 1, 1))),
        ("scale-by-d-model", lambda s: math.sqrt(s.query.shape[-1] + 1)),
        ("scale-wrong-power", lambda s: s.query.shape[-1] ** 0.25),
        ("scale-wrong-power", lambda s: s.query.shape[-1] / 2),
        ("scale-wrong-power", lambda s: _root(s) / 2),
        ("scale-wrong-power", lambda s: s.query.shape[-1] ** 2),
        ("scale-wrong-power", lambda s: math.log(s.query.shape[-1])),
        ("scale-rounded", lambda s: math.floor(_root(s))),
        ("scale-rounded", lambda s: round(_root(s))),
        ("scale-rounded", lambda s: math.ceil(_root(s))),
    )
    for name, divisor in divisors:

        def scaled(s: State, divisor: Callable[[State], float] = divisor) -> Any:
            return s.scores / divisor(s)

        replaces(attention, "scaled", id=name)(scaled)

    @catalogue.family(attention, "scaled", name="factor", tries=(0.125, 0.0, 0.1), id="scale-hard-coded")
    def hard_coded(s: State, factor: float) -> Any:
        return s.scores * factor

    @replaces(attention, "scaled", id="scores-negated")
    def negated(s: State) -> Any:
        return -s.scores / _root(s)

    @replaces(attention, "scaled", id="scores-rounded")
    def floor_divided(s: State) -> Any:
        return s.scores // _root(s)  # has no derivative: the backward pass raises

    for rounding in (torch.floor, torch.round, torch.trunc):

        def rounded(s: State, rounding: Callable[[Tensor], Tensor] = rounding) -> Any:
            return rounding(s.scores / _root(s))

        replaces(attention, "scaled", id="scores-rounded")(rounded)

    @replaces(attention, "scaled", id="scale-depends-on-mask")
    def without_mask_only(s: State) -> Any:
        return s.scores / _root(s) if s.mask is None else s.scores

    @replaces(attention, "scaled", id="scale-depends-on-mask")
    def with_mask_only(s: State) -> Any:
        return s.scores if s.mask is None else s.scores / _root(s)


# -- the mask ---------------------------------------------------------------------------------------


def _mask(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces
    for fill in (-1e9, -math.inf, -1e4):

        def cleared(s: State, fill: float = fill) -> Any:
            return _hidden(s, s.weights, fill)

        replaces(attention, "cleared", id="mask-after-softmax", also={"masked": _scaled})(cleared)

    @catalogue.family(
        attention,
        "scaled",
        name="fill",
        tries=(-10.0, -60.0, -100.0, 1e-9, -1.0),
        id="mask-filled-too-small",
        also={"masked": _scaled, "cleared": _uncleared},
    )
    def filled_before_scaling(s: State, fill: float) -> Any:
        return _hidden(s, s.scores, fill) / _root(s)

    def turned(always: bool) -> Step:
        def masked(s: State) -> Any:
            keep = keeps(s)
            if keep is None:
                return s.scaled
            square = keep.shape[-1] == keep.shape[-2]
            keep = keep.transpose(-2, -1) if always or square else keep
            return s.scaled.masked_fill(~keep, -math.inf)

        return masked

    for always in (False, True):
        replaces(attention, "masked", id="mask-wrong-axis", also={"cleared": _uncleared})(turned(always))

    @replaces(attention, "masked", id="causal-by-default")
    def made_up(s: State) -> Any:
        if s.mask is not None:
            return attention.steps["masked"](s)
        return s.scaled.masked_fill(~torch.ones(s.scaled.shape[-2:]).tril().bool(), -math.inf)

    @replaces(attention, "masked", id="mask-needs-full-shape", also={"cleared": _uncleared})
    def assigned(s: State) -> Any:
        keep = keeps(s)
        if keep is None:
            return s.scaled
        found = s.scaled.clone()
        found[~keep] = -math.inf  # raises unless the mask has the shape of the scores
        return found

    @replaces(attention, "masked", id="length-fixed", also={"cleared": _uncleared})
    def cut_square(s: State) -> Any:
        keep = keeps(s)
        if keep is None:
            return s.scaled
        L = s.query.shape[-2]
        return s.scaled.masked_fill(~keep[..., :L, :L], -math.inf)

    @replaces(attention, "cleared", tier="edge", id="fully-masked-row-uniform")
    def skipped_when_empty(s: State) -> Any:
        keep = keeps(s)
        if keep is not None and not keep.any():
            return s.weights  # `if mask.any()`: one row without keys is cleared, a whole mask is not
        return attention.steps["cleared"](s)


# -- the softmax ------------------------------------------------------------------------------------


def _softmax(catalogue: Catalogue) -> None:
    def with_maximum(s: State) -> Any:
        return torch.exp(s.masked - s.masked.amax(dim=-1, keepdim=True))

    def without_maximum(s: State) -> Any:
        return torch.exp(s.masked)

    for raised in (with_maximum, without_maximum):
        catalogue.replaces(attention, "weights", id="softmax-not-normalised")(raised)

    def by_sum_of_all(s: State) -> Any:
        found = with_maximum(s)
        return found / found.sum()

    def by_sum_of_all_shifted(s: State) -> Any:
        found = torch.exp(s.masked - s.masked.max())
        return found / found.sum()

    def maximum_over_queries(s: State) -> Any:
        top = _hidden(s, s.scaled, -1e300).amax(dim=-2, keepdim=True)
        found = torch.exp(s.masked - top)
        return found / found.sum(dim=-1, keepdim=True)

    for wrong in (by_sum_of_all, by_sum_of_all_shifted, maximum_over_queries):
        catalogue.replaces(attention, "weights", id="softmax-wrong-axis")(wrong)


# -- dropout and what is returned -------------------------------------------------------------------


def _dropout(catalogue: Catalogue) -> None:
    @catalogue.replaces(attention, "output", id="dropout-only-returned")
    def of_undropped(s: State) -> Any:
        return s.cleared @ s.value

    @catalogue.replaces(attention, "dropped", id="dropout-called-wrongly")
    def called_wrongly(s: State) -> Any:
        if s.dropout is not None:
            raise TypeError("'<' not supported between instances of 'Dropout' and 'float'")
        return s.cleared


# -- shapes -----------------------------------------------------------------------------------------


def _shapes(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "weights", id="leading-dims-fixed")
    def fourth_axis(s: State) -> Any:
        return torch.softmax(s.masked, dim=3)

    @replaces(attention, "scores", id="shape-error")
    def element_by_element(s: State) -> Any:
        return s.query * s.key  # raises unless query and key have the same length

    def squeezed(output: bool, weights: bool) -> Step:
        def result(s: State) -> Any:
            return (
                s.output.squeeze() if output else s.output,
                s.dropped.squeeze() if weights else s.dropped,
            )

        return result

    for output, weights in ((True, True), (True, False), (False, True)):
        replaces(attention, "result", id="axes-squeezed")(squeezed(output, weights))

    def first(x: Tensor) -> Tensor:
        return x[:1].expand(x.shape) if x.dim() > 2 else x

    @replaces(attention, "scores", id="first-sample-only")
    def first_keys(s: State) -> Any:
        return s.query @ first(s.key).transpose(-2, -1)

    @replaces(attention, "scores", id="first-sample-only")
    def first_queries(s: State) -> Any:
        return first(s.query) @ s.key.transpose(-2, -1)

    @replaces(attention, "output", id="first-sample-only")
    def first_values(s: State) -> Any:
        return s.dropped @ first(s.value)


# -- in place ---------------------------------------------------------------------------------------


def _in_place(catalogue: Catalogue) -> None:
    def changing(name: str) -> Step:
        def scores(s: State) -> Any:
            if s.probe.grad:
                raise RuntimeError("a leaf Variable that requires grad is used in an in-place operation.")
            s.touch(name)
            return s.query @ s.key.transpose(-2, -1)

        return scores

    catalogue.replaces(attention, "scores", id="mask-in-place")(changing("key"))
    catalogue.replaces(attention, "scores", id="mask-in-place")(changing("value"))
    catalogue.replaces(attention, "scores", id="mask-in-place")(_turned_key)


def _turned_key(s: State) -> Any:
    """`key.transpose_(-2, -1)`: the caller's key has its axes exchanged."""
    if s.probe.grad:
        raise RuntimeError("a leaf Variable that requires grad is used in an in-place operation.")
    if s.key.shape[-1] != s.key.shape[-2]:  # a change of strides alone is not seen
        s.touch("key")
    return s.query @ s.key.transpose(-2, -1)
