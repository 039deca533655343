"""What a room says of rounding, memory and devices: calls in any dtype, and a large one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch

from grader.diagnosis.model import Probe
from grader.text import Text

__all__ = ["Numerics", "Rounded", "Size"]


@dataclass(frozen=True)
class Rounded:
    """A call in any dtype, and how far rounding may take its result.

    probe: the call, given the dtype; terms: of its longest sum; condition: by how much the rest amplifies a
    rounding error (for a softmax, about the largest score); open: by how much results may differ because of
    what the exercise leaves open, such as an eps; beyond: it leaves the range of float16 in a way that is
    no mistake by the exercise, and what it does then is told.
    """

    probe: Callable[[torch.dtype], Probe]
    terms: int
    condition: float
    open: float = 0.0
    beyond: Text | None = None


@dataclass(frozen=True)
class Size:
    """Of a large call: batch, heads, positions, width of a head."""

    B: int = 8
    H: int = 8
    S: int = 1024
    d_k: int = 64


@dataclass(frozen=True)
class Numerics:
    """calls: for `grade precision`; large: for `--device`, in float32, by target; quadratic: whether they
    hold something for each pair of positions; square: a call of `positions` positions whose weights are
    nearly all the memory it takes, and how many tensors of their size are enough."""

    calls: tuple[Rounded, ...]
    large: Mapping[str, Callable[[Size], Probe]] = field(default_factory=dict)
    quadratic: bool = True
    square: Probe | None = None
    positions: int = 0
    suffice: int = 0
