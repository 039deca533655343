"""Mistakes in the statistics: over which axes, how the spread is measured, and where eps goes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.exercises.layer_norm.catalogue import Part, family, in_both

__all__ = ["register", "register_rare"]


def register() -> None:
    """Puts the faults of this module into the catalogue."""
    _axes()
    _spread()
    _eps()


# -- over which axes --------------------------------------------------------------------------------


def _over(*dims: int) -> Part:
    return lambda s: dims


def _from_one(s: Any) -> tuple[int, ...]:
    return tuple(range(1, s.x.dim()))


def _all_but_last(s: Any) -> tuple[int, ...]:
    return tuple(range(s.x.dim() - 1))


def _everything(s: Any) -> tuple[int, ...]:
    return tuple(range(s.x.dim()))


def _variance_over(dims: Part) -> Part:
    def variance(s: Any) -> Tensor:
        squares = s.centred.square()
        total = squares.sum(dim=dims(s), keepdim=True)
        spread: Tensor = total / (squares.numel() // total.numel() - s.correction)
        return spread

    return variance


AXES: tuple[tuple[str, Part], ...] = (
    ("normalises-sequence-axis", _over(-2)),
    ("normalises-sequence-axis", _over(1)),
    ("normalises-sequence-axis", lambda s: (-2,) if s.x.dim() > 1 else (0,)),
    ("normalises-sequence-axis", lambda s: (1,) if s.x.dim() > 1 else (0,)),
    ("normalises-batch-axis", _over(0)),
    ("normalises-batch-axis", _over(0, 1)),
    ("normalises-batch-axis", _all_but_last),
    ("normalises-two-axes", _over(-2, -1)),
    ("normalises-two-axes", _over(1, 2)),
    ("normalises-two-axes", _from_one),
    ("normalises-everything", _everything),
)
ONE_OF_TWO: tuple[tuple[str, Part], ...] = (
    ("normalises-sequence-axis", _over(-2)),
    ("normalises-batch-axis", _over(0)),
    ("normalises-two-axes", _over(-2, -1)),
    ("normalises-everything", _everything),
)


def _axes() -> None:
    for id, dims in AXES:
        in_both(id, axes=dims)


def register_rare() -> None:
    """The faults of this module that come last in the search."""
    _graph()
    _in_place()
    _dtype()
    _edges()
    for id, dims in ONE_OF_TWO:  # the variance over the wrong axes, the mean over the right ones
        in_both(id, variance=_variance_over(dims))
    in_both("eps-misapplied", epsilon=lambda s: s.eps**2)
    in_both("eps-misapplied", epsilon=lambda s: s.eps**0.5)
    in_both("eps-misapplied", epsilon=lambda s: 2 * s.eps)
    in_both("eps-misapplied", root=lambda s: torch.sqrt((s.variance - s.epsilon).clamp(min=1e-12)))
    in_both("eps-misapplied", root=lambda s: torch.sqrt(s.variance * (1 + s.epsilon)))
    in_both("variance-uncentred", variance=lambda s: s.x.square().mean(dim=s.axes, keepdim=True))
    in_both("variance-not-averaged", variance=lambda s: s.centred.square().sum(dim=s.axes, keepdim=True))
    in_both("variance-not-rooted", root=lambda s: (s.variance + s.epsilon) ** 0.25)
    in_both("eps-misapplied", root=lambda s: torch.sqrt(s.variance.clamp(min=s.epsilon)))
    in_both("eps-misapplied", root=lambda s: torch.sqrt(s.variance).clamp(min=s.epsilon))
    in_both("eps-misapplied", root=lambda s: torch.sqrt(s.variance + s.epsilon) + s.epsilon)


# -- how the spread is measured ---------------------------------------------------------------------


def _own_variance(s: Any) -> Tensor:
    return torch.var(s.x, dim=s.axes, correction=s.correction, keepdim=True)


def _squeezed_mean(s: Any) -> Tensor:
    return torch.mean(s.x, dim=s.axes)


def _squeezed_variance(s: Any) -> Tensor:
    return torch.var(s.x, dim=s.axes, correction=s.correction)


def _squeezed_squares(s: Any) -> Tensor:
    return torch.mean(s.centred.square(), dim=s.axes)


def _spread() -> None:
    in_both("unbiased-variance", correction=lambda s: 1)
    in_both("mean-not-subtracted", absent=True, centred=lambda s: s.x)
    in_both("mean-not-subtracted", centred=lambda s: s.x, variance=_own_variance)
    in_both("keepdim-missing", mean=_squeezed_mean, variance=_squeezed_variance)
    in_both("keepdim-missing", mean=_squeezed_mean, variance=_squeezed_squares)
    in_both("keepdim-missing", mean=_squeezed_mean)
    in_both("keepdim-missing", mean=_squeezed_mean, variance=_own_variance)
    in_both("keepdim-missing", variance=_squeezed_variance)
    in_both("variance-not-rooted", root=lambda s: s.variance + s.epsilon)
    in_both("variance-not-rooted", root=lambda s: (s.variance + s.epsilon) ** 2)
    in_both("variance-not-rooted", root=lambda s: s.variance)


# -- eps --------------------------------------------------------------------------------------------


def _default(s: Any, value: float) -> float:
    return float(s.eps) if "eps" in s.probe.init else value


def _eps() -> None:
    in_both("eps-outside-sqrt", root=lambda s: torch.sqrt(s.variance) + s.epsilon)
    in_both("eps-missing", absent=True, epsilon=lambda s: 0.0)
    family("eps-ignored", "epsilon", "eps", (1e-5, 1e-8), lambda s, value: value)
    family("eps-default-wrong", "epsilon", "eps", (1e-6, 1e-12), _default)


# -- gradients --------------------------------------------------------------------------------------


def _detached_mean(s: Any) -> Tensor:
    return torch.mean(s.x, dim=s.axes, keepdim=True).detach()


def _detached_variance(s: Any) -> Tensor:
    return torch.var(s.x, dim=s.axes, correction=s.correction, keepdim=True).detach()


def _frozen_gain(s: Any) -> Tensor:
    found: Tensor = s.normalised * s.state["weight"].detach()
    return found


def _frozen_bias(s: Any) -> Tensor:
    found: Tensor = s.gained + s.state["bias"].detach()
    return found


def _graph() -> None:
    in_both("statistics-detached", mean=_detached_mean, variance=_detached_variance)
    in_both("statistics-detached", variance=_detached_variance)
    in_both("statistics-detached", mean=_detached_mean)
    in_both("output-detached", centred=lambda s: (s.x - s.mean).detach())
    in_both("output-detached", returned=lambda s: s.shifted.detach())
    in_both("parameters-frozen", gained=_frozen_gain, shifted=_frozen_bias)
    in_both("parameters-frozen", gained=_frozen_gain)
    in_both("parameters-frozen", shifted=_frozen_bias)


# -- in place ---------------------------------------------------------------------------------------


def _overwrites(s: Any, value: Tensor) -> Tensor:
    """The value, which now stands in the caller's tensor (when it is the caller's)."""
    outer = getattr(s, "outer", s)
    outer.in_place = True
    if s.x is outer.x:
        if s.probe.grad:
            raise RuntimeError("a leaf Variable that requires grad is used in an in-place operation")
        if not torch.equal(value, s.x):
            outer.touch("x")
        outer.x = value
    return value


def _in_place() -> None:
    in_both("input-modified", centred=lambda s: _overwrites(s, s.x - s.mean))
    in_both("input-modified", normalised=lambda s: _overwrites(s, s.centred / s.root))
    in_both("input-modified", returned=lambda s: _overwrites(s, s.shifted))


# -- dtypes -----------------------------------------------------------------------------------------


def _through_float32(s: Any) -> Any:
    s.precision = torch.float32
    return s.shifted


def _to_float32(s: Any) -> Any:
    s.out_dtype = s.precision = torch.float32
    return s.shifted


def _to_float64(s: Any) -> Any:
    s.out_dtype, s.precision = torch.float64, torch.float32
    return s.shifted


def _widened_half(s: Any) -> Any:
    if s.dtype in (torch.float16, torch.bfloat16):
        s.out_dtype, s.precision = torch.float32, s.dtype
    return s.shifted


def _dtype() -> None:
    in_both("dtype-changed", returned=_through_float32)
    in_both("dtype-changed", returned=_to_float32)
    in_both("dtype-changed", returned=_to_float64)
    in_both("dtype-changed", tier="edge", returned=_widened_half)


# -- edges ------------------------------------------------------------------------------------------


def _cancelling(s: Any, least: float | None = None) -> Tensor:
    """E[x^2] - E[x]^2 in the accuracy of the input, rounding and all."""
    x = s.x.to(s.dtype)
    mean = x.mean(dim=-1, keepdim=True)
    found: Tensor = (x**2).mean(dim=-1, keepdim=True) - mean**2
    return (found if least is None else found.clamp(min=least)).double()


def _narrow_squares(s: Any) -> Tensor:
    squares = s.centred.to(s.dtype).square()
    found: Tensor = squares.mean(dim=-1, keepdim=True)
    return found.double()


def _edges() -> None:
    in_both("catastrophic-cancellation", tier="edge", variance=_cancelling)
    in_both("catastrophic-cancellation", tier="edge", variance=lambda s: _cancelling(s, 0.0))
    in_both("half-precision-overflow", tier="edge", variance=_narrow_squares)
