"""Callables that a suite may pass to the learner's code: a small closed set, pure in the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.wire import Malformed

__all__ = [
    "CALLABLES",
    "Counted",
    "CountedModule",
    "affine",
    "constant",
    "drop_small",
    "dropout",
    "identity",
    "make",
    "scale",
    "shift_scale",
    "squashed",
]


def scale(x: Tensor, factor: float) -> Tensor:
    """Multiplies by a constant."""
    return x * factor


def drop_small(x: Tensor, below: float, factor: float) -> Tensor:
    """A dropout that needs no chance: values under `below` become 0, the others grow by `factor`."""
    return torch.where(x < below, torch.zeros_like(x), x * factor)


def affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A linear layer over the last axis."""
    return x @ weight.to(x.dtype).transpose(-2, -1) + bias.to(x.dtype)


def constant(x: Tensor, value: Tensor) -> Tensor:
    """The same tensor, whatever it is given."""
    return value


def dropout(x: Tensor, p: float) -> Tensor:
    """Dropout as in training; the seed is that of the call."""
    return nn.functional.dropout(x, p, True)


def shift_scale(x: Tensor, factor: float, offset: float) -> Tensor:
    """`factor * x + offset`."""
    return x * factor + offset


def identity(x: Tensor) -> Tensor:
    """The very tensor it is given."""
    return x


def squashed(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A linear layer and tanh, the backward pass of which needs what was returned as it was."""
    return torch.tanh(affine(x, weight, bias))


CALLABLES: dict[str, Callable[..., Tensor]] = {
    "scale": scale,
    "drop_small": drop_small,
    "affine": affine,
    "constant": constant,
    "dropout": dropout,
    "shift_scale": shift_scale,
    "identity": identity,
    "squashed": squashed,
}


class Counted:
    """A callable that counts its calls and remembers what it was given."""

    def __init__(self, function: Callable[..., Tensor], settings: dict[str, Any]) -> None:
        self.function = function
        self.settings = settings
        self.calls: list[list[Any]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        self.calls.append([*args, *kwargs.values()])
        return self.function(*args, **kwargs, **self.settings)


class CountedModule(nn.Module):
    """The same as a module, so that `register_module` mistakes can show."""

    def __init__(self, counted: Counted) -> None:
        super().__init__()
        self.counted = counted

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        return self.counted(*args, **kwargs)


def make(name: str, settings: dict[str, Any], as_module: bool) -> tuple[Counted, Any]:
    """The counted callable called `name`, and what is passed to the learner."""
    if name not in CALLABLES:
        raise Malformed(f"unknown callable {name!r}")
    counted = Counted(CALLABLES[name], settings)
    return counted, CountedModule(counted) if as_module else counted
