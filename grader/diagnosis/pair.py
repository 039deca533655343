"""The learner's value beside the right one, and what is known around them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from grader.diagnosis.route import AXES
from grader.diagnosis.sightings import FORBIDDEN
from grader.text import Text

__all__ = ["Pair", "equal"]


@dataclass(frozen=True)
class Pair:
    """found: the learner's; wanted: the right one, in the same layout where they can be.

    axes: letters of the last axes of `wanted`; sizes: what constants are made of; known: arguments,
    parameters and right steps; names: what they are called; gap: the relative difference that means
    nothing; mask: where a mask allows; coarse: the least accurate dtype that the line went through;
    lenient: whether any number far below zero stands for -inf.
    """

    found: Tensor
    wanted: Tensor
    axes: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, Tensor] = field(default_factory=dict)
    names: Mapping[str, Text] = field(default_factory=dict)
    gap: float = 1e-9
    mask: Tensor | None = None
    coarse: torch.dtype | None = None
    lenient: bool = False

    def wide(self) -> Pair:
        """In float64, and forbidden values as -inf."""
        found, wanted = self.found.double(), self.wanted.double()
        if self.lenient:
            found, wanted = (t.masked_fill(t < FORBIDDEN, -math.inf) for t in (found, wanted))
        return replace(self, found=found, wanted=wanted)

    def letter(self, axis: int) -> str:
        """The letter of an axis, or nothing."""
        place = len(self.axes) - self.wanted.dim() + axis
        return self.axes[place] if 0 <= place < len(self.axes) else ""

    def over(self, axis: int) -> Text:
        """``the queries``."""
        letter = self.letter(axis)
        return AXES[letter].all if letter else Text(f"axis {axis}", f"第 {axis} 轴")

    def one(self, axis: int) -> Text:
        """``query``."""
        return AXES[self.letter(axis)].one

    def name(self, known: str) -> Text:
        """What another value is called."""
        return self.names.get(known) or Text(f"`{known}`", f" `{known}` ")

    def same(self, a: Tensor, b: Tensor) -> bool:
        """Whether two tensors agree."""
        return a.shape == b.shape and bool(equal(a, b, self.gap).all())

    def others(self) -> Iterator[tuple[Text, Tensor]]:
        """The other values of the call that are numbers, the nearest step first."""
        for name, value in reversed(list(self.known.items())):
            if value.is_floating_point() and value.numel() and bool(value.isfinite().all()):
                yield self.name(name), value.detach().double()

    def beside(self) -> Iterator[tuple[Text, Tensor]]:
        """Those that broadcast to the shape of the right value."""
        for words, value in self.others():
            try:
                wide = value.expand(self.wanted.shape)
            except RuntimeError:
                continue
            if not self.same(wide, self.wanted):
                yield words, wide


def equal(a: Tensor, b: Tensor, gap: float) -> Tensor:
    """Where two tensors of one shape agree, relative to the largest of the second."""
    a, b = a.double(), b.double()
    usual = b[b.isfinite()]
    scale = max(1e-6, float(usual.abs().max())) if usual.numel() else 1.0
    return (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() <= gap * scale)
