"""What the probes and the checks of layer normalisation are given."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.submission.client import Callback
from grader.submission.fixed import fixed

__all__ = [
    "far",
    "features",
    "large_half",
    "linear",
    "outlier",
    "same",
    "squashed",
    "state_of",
    "stretch",
]


def features(
    seed: int,
    *shape: int,
    spread: float = 1.5,
    offset: float = 0.4,
    dtype: torch.dtype = torch.float64,
) -> Tensor:
    """Normally distributed features around `offset`."""
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=g, dtype=torch.float64) * spread + offset).to(dtype)


@fixed
def state_of(seed: int, d_model: int) -> dict[str, Tensor]:
    """A gain and a bias, both random: no gain is near one and no bias near zero by design."""
    g = torch.Generator().manual_seed(seed)
    signs = torch.randint(0, 2, (2, d_model), generator=g).double() * 2 - 1
    sizes = torch.rand(2, d_model, generator=g, dtype=torch.float64)
    return {"weight": signs[0] * (1.2 + sizes[0]), "bias": signs[1] * (0.3 + sizes[1])}


def linear(seed: int, d_model: int, *, as_module: bool = False) -> Callback:
    """A linear sublayer with a bias, so that it is not zero at zero."""
    g = torch.Generator().manual_seed(seed)
    weight = torch.randn(d_model, d_model, generator=g, dtype=torch.float64) / d_model**0.5
    bias = torch.randn(d_model, generator=g, dtype=torch.float64)
    return Callback("affine", {"weight": weight, "bias": bias}, as_module)


def squashed(seed: int, d_model: int) -> Callback:
    """A linear sublayer with tanh after it: its backward pass needs what it returned as it was."""
    return Callback("squashed", linear(seed, d_model).settings)


def same() -> Callback:
    """A sublayer that returns the very tensor it is given."""
    return Callback("identity")


def stretch(factor: float, offset: float) -> Callback:
    """A sublayer that multiplies and shifts every feature alike."""
    return Callback("shift_scale", {"factor": factor, "offset": offset})


def far(seed: int, d_model: int = 8) -> Tensor:
    """Rows of float32 with mean 1e4 and spread 1."""
    return features(seed, 3, d_model, spread=1.0, offset=1e4, dtype=torch.float32)


def large_half(seed: int, dtype: torch.dtype = torch.float16) -> Tensor:
    """Rows in which one feature is 340 from the mean: its square overflows float16, the variance not."""
    x = features(seed, 3, 8, spread=4.0, offset=0.0)
    x[torch.arange(3), torch.tensor([1, 4, 6])] = torch.tensor([390.0, -380.0, 400.0], dtype=x.dtype)
    return x.to(dtype)


def outlier(seed: int, d_model: int = 64) -> Tensor:
    """Rows in which one feature is far from the mean, by as many deviations as the width allows."""
    x = features(seed, 2, d_model)
    x[torch.arange(2), torch.tensor([3, 7])] = torch.tensor([90.0, -70.0], dtype=x.dtype)
    return x
