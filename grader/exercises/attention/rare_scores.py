"""Rarer mistakes in the scores; they come after all common ones in the search."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from grader.diagnosis.faults import Catalogue
from grader.diagnosis.model import State, Step
from grader.exercises.attention.mask_faults import filled, uncleared
from grader.exercises.attention.model import attention, keeps

__all__ = ["register", "register_alone"]


def register(catalogue: Catalogue) -> None:
    """Adds the faults that exercise 4 takes over."""
    _scale(catalogue)
    _values(catalogue)
    _first_sample(catalogue)
    _in_place(catalogue)


def register_alone(catalogue: Catalogue) -> None:
    """Adds those of this exercise alone."""
    _temperature(catalogue)
    _bounds(catalogue)
    _inputs(catalogue)


def _root(s: State) -> float:
    return math.sqrt(s.query.shape[-1])


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

    @replaces(attention, "scaled", id="scale-depends-on-mask")
    def without_mask_only(s: State) -> Any:
        return s.scores / _root(s) if s.mask is None else s.scores

    @replaces(attention, "scaled", id="scale-depends-on-mask")
    def with_mask_only(s: State) -> Any:
        return s.scores if s.mask is None else s.scores / _root(s)


def _temperature(catalogue: Catalogue) -> None:
    @catalogue.replaces(attention, "scaled", id="scale-wrong-power")
    def mean_of_products(s: State) -> Any:
        return s.scores / s.query.shape[-1] ** 1.5

    @catalogue.family(attention, "scaled", name="temperature", tries=(0.5, 2.0, 0.1, 10.0))
    def softmax_temperature(s: State, temperature: float) -> Any:
        return s.scores / _root(s) / temperature


# -- what becomes of a score ------------------------------------------------------------------------


def _values(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

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


def _bounds(catalogue: Catalogue) -> None:
    for rectified in (torch.relu, torch.abs):

        def changed(s: State, rectified: Callable[[Tensor], Tensor] = rectified) -> Any:
            return rectified(s.scores / _root(s))

        catalogue.replaces(attention, "scaled", id="scores-rectified")(changed)

    bounds = (10.0, 50.0, 1.0, 5.0, 20.0)

    @catalogue.family(attention, "scaled", name="bound", tries=bounds, id="scores-clamped")
    def clamped(s: State, bound: float) -> Any:
        return (s.scores / _root(s)).clamp(-bound, bound)

    @catalogue.family(
        attention, "masked", name="bound", tries=bounds, id="scores-clamped", also={"cleared": uncleared}
    )
    def clamped_with_the_mask(s: State, bound: float) -> Any:
        return filled(s, -math.inf).clamp(-bound, bound)

    @catalogue.family(attention, "scaled", name="bound", tries=bounds[:2], id="scores-clamped")
    def squashed(s: State, bound: float) -> Any:
        return bound * torch.tanh(s.scores / _root(s) / bound)


# -- what is compared with what ---------------------------------------------------------------------


def _unscaled(s: State) -> Any:
    return s.scores


def _inputs(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    def product(left: str, right: str, length_one: tuple[str, ...] = ()) -> Step:
        def scores(s: State) -> Any:
            pair = (
                normalize(getattr(s, n), dim=-1) if n in length_one else getattr(s, n) for n in (left, right)
            )
            one, other = pair
            return one @ other.transpose(-2, -1)

        return scores

    replaces(attention, "scores", id="key-is-query")(product("query", "query"))
    replaces(attention, "scores", id="key-is-query")(product("key", "key"))
    exchanged: Mapping[str, Step] = {"output": lambda s: s.dropped @ s.key}
    replaces(attention, "scores", id="key-value-swapped", also=exchanged)(product("query", "value"))
    replaces(attention, "scores", id="key-value-swapped")(product("query", "value"))
    for names in (("query", "key"), ("query",), ("key",)):
        for also in ({}, {"scaled": _unscaled}):
            replaces(attention, "scores", id="query-normalised", also=also)(product("query", "key", names))

    @replaces(attention, "masked", id="first-sample-only", also={"cleared": uncleared})
    def first_mask(s: State) -> Any:
        keep = keeps(s)
        return s.scaled if keep is None else s.scaled.masked_fill(~_first(keep), -math.inf)

    @replaces(attention, "scores", id="view-not-contiguous")
    def viewed(s: State) -> Any:
        if not all(s.raw[name].is_contiguous() for name in ("query", "key", "value")):
            raise RuntimeError("view size is not compatible with input tensor's size and stride")
        return s.query @ s.key.transpose(-2, -1)


def _first(x: Tensor) -> Tensor:
    return x[:1].expand(x.shape) if x.dim() > 2 else x


def _first_sample(catalogue: Catalogue) -> None:
    replaces = catalogue.replaces

    @replaces(attention, "scores", id="shape-error")
    def element_by_element(s: State) -> Any:
        return s.query * s.key  # raises unless query and key have the same length

    @replaces(attention, "scores", id="first-sample-only")
    def first_keys(s: State) -> Any:
        return s.query @ _first(s.key).transpose(-2, -1)

    @replaces(attention, "scores", id="first-sample-only")
    def first_queries(s: State) -> Any:
        return _first(s.query) @ s.key.transpose(-2, -1)

    @replaces(attention, "output", id="first-sample-only")
    def first_values(s: State) -> Any:
        return s.dropped @ _first(s.value)


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
