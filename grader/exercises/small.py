"""Small inputs of an exercise: where the search for the smallest one that shows a mistake starts.

They are built here from sizes of one to three and from small integers, never taken from a suite: what
`grade repro` prints is the learner's to keep.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.text import Text

__all__ = ["Axes", "Case", "Small", "keep_mask", "open_rows", "start", "turned", "whole"]

NO_TITLE = Text("", "")


@dataclass(frozen=True)
class Case:
    """One call, and what is looked at.

    seed: the cotangent of the first output, when gradients are compared; positional: the constructor
    gets its settings by position; index: only this entry of the result; refuses: right is a ValueError
    that names these numbers; initial: what the state holds after construction; device: the one that the
    result must be on; chance: the seed that is set before it is made and called, where chance is in it;
    focus: the index, in Python, of what the probe's `where` leaves to be looked at.
    """

    probe: Probe
    seed: Tensor | None = None
    positional: bool = False
    index: tuple[int, ...] | None = None
    refuses: tuple[int, ...] | None = None
    initial: Mapping[str, Tensor] | None = None
    device: str | None = None
    chance: int | None = None
    focus: str | None = None

    @property
    def edge(self) -> bool:
        return self.probe.tier == "edge"

    @property
    def size(self) -> int:
        """How many numbers a reader has to look at, and what else there is to understand."""
        probe = self.probe
        given = [*(probe.args or ()), *probe.kwargs.values(), *(probe.state or {}).values()]
        tensors = [t for t in given if isinstance(t, Tensor)]
        plain = [n for n in (*(probe.args or ()), *(probe.init or {}).values()) if type(n) is int]
        extra = 12 * (self.seed is not None) + 2 * self.positional + probe.train
        extra += 60 * (self.device is not None)  # the first call on another device takes a second
        extra += 3 * any(not t.is_contiguous() for t in tensors)
        return sum(t.numel() for t in tensors) + sum(min(abs(n), 20) for n in plain) + extra

    def but(self, **changes: Any) -> Case:
        """The same case with some fields of its probe changed."""
        return replace(self, probe=self.probe.but(**changes))


@dataclass(frozen=True)
class Axes:
    """What the axes of a target's tensors are called, from the right, so that they can be shortened.

    of: labels by argument (``"mask"``, or ``"mask/3"`` for one of three dimensions), or by the end of a
    state entry's name; init: the setting that holds the length of an axis; steps: axes that shrink by
    more than one; heads: the setting that divides the axis ``D`` into ``H`` blocks of ``K``; loose:
    leading axes, the outermost first, that may be absent.
    """

    of: Mapping[str, Sequence[str]]
    init: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    heads: str | None = None
    loose: Sequence[str] = ()


@dataclass(frozen=True)
class Small:
    """starts: the small inputs; axes: by target; meaning: by ``target.output``, what a number of it is;
    sound: whether a case is one that every right way of writing agrees on; settled: a case after its
    tensors have changed, with what depends on them put right; moves: further ways of making a case
    smaller; once: targets whose callable must run exactly once."""

    starts: Callable[[], Iterable[Case]]
    axes: Mapping[str, Axes] = field(default_factory=dict)
    meaning: Mapping[str, Text] = field(default_factory=dict)
    sound: Callable[[Case], bool] = lambda case: True
    settled: Callable[[Case], Case] = lambda case: case
    moves: Callable[[Case], Iterable[Case]] = lambda case: ()
    once: Sequence[str] = ()


def start(target: str, *args: Any, call: bool = True, **options: Any) -> Case:
    """A case; `options` are the fields of `Case` and of `Probe`, `call` False only constructs."""
    own = {
        n: options.pop(n)
        for n in ("seed", "positional", "index", "refuses", "initial", "device")
        if n in options
    }
    options.setdefault("condition", 20.0)
    return Case(Probe("small", target, NO_TITLE, args if call else None, **options), **own)


def whole(
    number: int, *shape: int, dtype: torch.dtype = torch.float32, low: int = -2, high: int = 3
) -> Tensor:
    """Small whole numbers, the same on every machine; `number` chooses the pattern."""
    return _whole(number, shape, dtype, low, high).clone()  # no two arguments may be one tensor


@functools.cache
def _whole(number: int, shape: tuple[int, ...], dtype: torch.dtype, low: int, high: int) -> Tensor:
    dice = random.Random(f"{number} {shape}")
    numbers = [float(dice.randint(low, high)) for _ in range(math.prod(shape))]
    return torch.tensor(numbers, dtype=dtype).reshape(shape)


def keep_mask(number: int, *shape: int) -> Tensor:
    """A boolean keep mask whose rows all keep something, and the first (with an odd number, every) row
    loses something, where there is more than one key."""
    return _keep_mask(number, shape).clone()


@functools.cache
def _keep_mask(number: int, shape: tuple[int, ...]) -> Tensor:
    dice = random.Random(f"mask {number} {shape}")
    kept: list[list[bool]] = []
    for row in range(math.prod(shape[:-1])):
        loses = shape[-1] > 1 and (row == 0 or number % 2 == 1)
        line = [not loses or dice.random() < 0.5 for _ in range(shape[-1])]
        line[(number + row) % shape[-1]] = True
        if loses:
            line[(number + row + 1) % shape[-1]] = False
        kept.append(line)
    return torch.tensor(kept, dtype=torch.bool).reshape(shape)


def open_rows(mask: Any) -> bool:
    """Whether every row of a mask allows something (True without a mask)."""
    return not isinstance(mask, Tensor) or bool((mask != 0).any(dim=-1).all())


def turned(tensor: Tensor, a: int = -2, b: int = -1) -> Tensor:
    """The same values, lying in memory as a transposed tensor does."""
    return tensor.transpose(a, b).contiguous().transpose(a, b)
