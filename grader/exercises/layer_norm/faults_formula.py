"""Rarer mistakes in LayerNorm: another formula where rows should be standardised."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.exercises.layer_norm.catalogue import Part, family, in_add_norm, in_both, in_layer_norm

__all__ = ["register_rare"]


def register_rare() -> None:
    """The faults of this module, which come last in the search."""
    _centre()
    _spread()
    _quotient()
    _values()
    _order_of_gain()
    _only_in_one_mode()
    _eps()
    _shapes()


# -- what is subtracted -----------------------------------------------------------------------------


def _median(s: Any) -> Tensor:
    return torch.median(s.x, dim=-1, keepdim=True).values


def _plain_variance(s: Any) -> Tensor:
    return torch.var(s.x, dim=s.axes, correction=s.correction, keepdim=True)


def _first(value: Tensor) -> Tensor:
    """The first row's number for all rows."""
    return value.flatten()[:1].reshape([1] * value.dim())


def _centre() -> None:
    in_both("median-subtracted", mean=_median)
    in_both("median-subtracted", mean=_median, variance=_plain_variance)
    in_both("statistics-of-first-row", mean=lambda s: _first(s.x.mean(dim=s.axes, keepdim=True)))
    in_both(
        "statistics-of-first-row",
        mean=lambda s: _first(s.x.mean(dim=s.axes, keepdim=True)),
        variance=lambda s: _first(_plain_variance(s)),
    )


# -- what measures the spread -----------------------------------------------------------------------


def _deviation(s: Any) -> Tensor:
    found: Tensor = s.centred.abs().mean(dim=s.axes, keepdim=True)
    return found


def _range(s: Any) -> Tensor:
    found: Tensor = s.x.amax(dim=s.axes, keepdim=True) - s.x.amin(dim=s.axes, keepdim=True)
    return found


def _divided(count: Any) -> Part:
    def variance(s: Any) -> Tensor:
        found: Tensor = s.centred.square().sum(dim=s.axes, keepdim=True) / count(s)
        return found

    return variance


def _spread() -> None:
    in_both("mean-absolute-deviation", root=lambda s: _deviation(s) + s.epsilon)
    in_both("mean-absolute-deviation", variance=lambda s: _deviation(s) ** 2)
    in_both("mean-absolute-deviation", variance=_deviation)
    in_both(
        "min-max-scaled",
        centred=lambda s: s.x - s.x.amin(dim=s.axes, keepdim=True),
        root=lambda s: _range(s) + s.epsilon,
    )
    in_both("min-max-scaled", root=lambda s: _range(s) + s.epsilon)
    in_both("variance-wrong-divisor", variance=_divided(lambda s: s.x.shape[max(s.x.dim() - 2, 0)]))
    in_both("variance-wrong-divisor", variance=_divided(lambda s: s.x.shape[0]))
    in_both("variance-wrong-divisor", variance=_divided(lambda s: s.x.shape[-1] + 1))
    in_both("variance-wrong-divisor", variance=_divided(lambda s: math.sqrt(s.x.shape[-1])))


# -- how the two are combined -----------------------------------------------------------------------


def _quotient() -> None:
    in_both("multiplied-by-std", normalised=lambda s: s.centred * s.root)
    in_both("not-divided", absent=True, normalised=lambda s: s.centred)
    in_both("quotient-inverted", normalised=lambda s: s.root / s.centred)
    in_both("brackets-missing", normalised=lambda s: s.x - s.mean / s.root)
    in_both("eps-misapplied", normalised=lambda s: (s.centred + s.epsilon) / s.root)
    in_both("eps-misapplied", normalised=lambda s: s.centred / torch.sqrt(s.variance) + s.epsilon)


def _values() -> None:
    family(
        "output-clamped",
        "normalised",
        "bound",
        (2.0, 1.0, 3.0, 5.0),
        lambda s, bound: (s.centred / s.root).clamp(-bound, bound),
        (2.0, 1.0),  # rows of six features have none that lies further out
    )
    for squash in (torch.tanh, torch.relu, torch.sigmoid):
        in_both("activation-added", normalised=_through(squash, lambda s: s.centred / s.root))
        in_both("activation-added", shifted=_through(squash, lambda s: s.gained + s.state["bias"]))


def _through(squash: Any, part: Part) -> Part:
    return lambda s: squash(part(s))


def _times(name: str) -> Part:
    return lambda s: s.normalised * s.state[name]


def _plus(name: str) -> Part:
    return lambda s: s.gained + s.state[name]


def _order_of_gain() -> None:
    def no_gain(s: Any) -> Tensor:
        plain: Tensor = s.normalised
        return plain

    def weighed_mean(s: Any) -> Tensor:
        found: Tensor = (s.x * s.state["weight"]).mean(dim=s.axes, keepdim=True)
        return found

    def weighed(s: Any) -> Tensor:
        found: Tensor = s.x * s.state["weight"] - s.mean
        return found

    for name in ("weight", "bias"):
        in_both("affine-one-for-both", gained=_times(name), shifted=_plus(name))
    in_both(
        "affine-misapplied",
        gained=lambda s: s.normalised,
        shifted=lambda s: s.normalised + s.state["weight"] * s.state["bias"],
    )
    in_both("gain-before-normalising", centred=weighed, gained=no_gain)
    in_both("gain-before-normalising", mean=weighed_mean, centred=weighed, gained=no_gain)
    in_both("gain-before-normalising", mean=weighed_mean, centred=weighed)


# -- only in training, or only in eval --------------------------------------------------------------


def _only_in_one_mode() -> None:
    in_both(
        "affine-only-in-training",
        gained=lambda s: s.normalised * s.state["weight"] if s.train else s.normalised,
        shifted=lambda s: s.gained + s.state["bias"] if s.train else s.gained,
    )
    in_both(  # as BatchNorm does: in eval mode the numbers that it starts with
        "statistics-only-in-training",
        mean=lambda s: s.x.mean(dim=s.axes, keepdim=True) if s.train else torch.zeros_like(s.x[..., :1]),
        variance=lambda s: _plain_variance(s) if s.train else torch.ones_like(s.x[..., :1]),
    )


# -- eps --------------------------------------------------------------------------------------------


def _eps() -> None:
    family("eps-misapplied", "epsilon", "factor", (10.0, 0.5, 0.1), lambda s, value: s.eps * value)
    in_add_norm("eps-is-dropout", epsilon=lambda s: float(s.dropout))
    in_add_norm("eps-is-dropout", epsilon=lambda s: float(s.dropout or s.eps))
    in_both(
        "constant-row-nan-gradient",
        tier="edge",
        root=lambda s: torch.sqrt(torch.sqrt(s.variance) ** 2 + s.epsilon),
    )


# -- which shapes are accepted ----------------------------------------------------------------------


def _only(*dims: int) -> Part:
    def axes(s: Any) -> tuple[int, ...]:
        if s.x.dim() not in dims:
            raise IndexError("Dimension out of range: written for fewer or more dimensions")
        return (-1,)

    return axes


def _one_piece(s: Any) -> tuple[int, ...]:
    if not getattr(s, "outer", s).raw["x"].is_contiguous():
        raise RuntimeError("view size is not compatible with input tensor's size and stride")
    return (-1,)


def _shapes() -> None:
    for dims in ((3,), (2, 3), (3, 4)):
        in_layer_norm("leading-dims-fixed", "axes", _only(*dims))
    in_layer_norm("leading-dims-fixed", "axes", lambda s: (2,))
    in_both("view-not-contiguous", axes=_one_piece)
