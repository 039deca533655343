"""The learner's intermediate results, prepared for being looked up: the recorded operations, loops put
together, and whether a value is the one that is looked for."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import permutations

import torch
from torch import Tensor

from grader.submission.observation import Event

__all__ = ["How", "Numbers", "Sighting", "Tolerance", "agrees", "how", "only_parts", "sightings"]

FORBIDDEN = -1e4  # under a softmax, any number below does the same
ALLOWED = {torch.float64: 1e-10, torch.float32: 3e-5, torch.float16: 2e-2, torch.bfloat16: 1e-1}
SMALLEST = 1e-6  # what counts as zero beside nothing else
MOST_AXES = 5
MOST_STACKED = 40_000


class How(IntEnum):
    """How a recorded value holds the numbers of the one looked for."""

    NONE = 0
    MOVED = 1  # the same numbers in another order, which no exchange of axes explains
    PART = 2  # of a loop: each time a head, an element of the batch, ...
    AXES = 3  # axes exchanged
    FLAT = 4  # in another shape
    EXACT = 5

    @property
    def right(self) -> bool:
        return self > How.MOVED


class Numbers:
    """A tensor with what makes comparing it quick: most comparisons end at the sums.

    `lenient`: any number far below zero counts as -inf.
    """

    def __init__(self, value: Tensor, lenient: bool = True) -> None:
        self.shape = tuple(value.shape)
        self.numel = value.numel()
        self.discrete = not value.is_floating_point()
        flat = value.detach().to(torch.float64).flatten()
        self.flat = flat.clamp(min=FORBIDDEN) if lenient else flat  # NaN stays NaN
        self.lenient = lenient

    @property
    def value(self) -> Tensor:
        return self.flat.reshape(self.shape)

    @cached_property
    def total(self) -> float:
        """The sum; NaN or infinite where a number is."""
        return float(self.flat.sum())

    @cached_property
    def scale(self) -> float:
        """The largest magnitude of what is finite and not forbidden."""
        flat = self.flat
        floor = FORBIDDEN if self.lenient else -torch.inf
        usual = flat[(flat > floor) & (flat < torch.inf)]
        return max(SMALLEST, float(usual.abs().max())) if usual.numel() else SMALLEST

    @cached_property
    def constant(self) -> bool:
        """Zeros after a dropout of everything, a row of ones: many lines give the same."""
        return self.numel > 0 and bool(((self.flat == self.flat[0]) | self.flat.isnan()).all())

    @cached_property
    def ordered(self) -> Tensor:
        """The numbers by size."""
        return self.flat.sort().values


@dataclass(frozen=True)
class Tolerance:
    """floor: what the accuracy of the exercise allows, whatever the dtype; factor: for the probe; settled:
    not to be made finer where the result is right."""

    floor: float = 1e-10
    factor: float = 1.0
    settled: bool = False

    def of(self, dtype: torch.dtype) -> float:
        return max(self.floor, ALLOWED.get(dtype, 0.0) * self.factor)

    def finer(self) -> Tolerance:
        """A tenth of it."""
        return Tolerance(self.floor / 10, self.factor / 10)


@dataclass(frozen=True, eq=False)
class Sighting:
    """A value that the learner's code computed.

    index: its place among the recorded operations; value: as it was, or stacked from all turns of a
    loop; turns: how many; returned: it is what the call gave, and no operation of that value is recorded.
    """

    index: int
    file: str
    line: int | None
    path: tuple[int, ...]
    op: str
    value: Tensor
    numbers: Numbers
    turns: int = 1
    returned: bool = False


def how(found: Numbers, wanted: Numbers, allowed: float) -> How:
    """Whether `found` holds the numbers of `wanted`, and in which layout."""
    if found.numel != wanted.numel or not found.numel:
        return How.NONE
    off = abs(found.total - wanted.total)
    if off > 0.0 and off > allowed * wanted.scale * found.numel:  # false for NaN, which says nothing
        return How.NONE
    gap = allowed * wanted.scale
    if _close(found.flat, wanted.flat, gap):
        return How.EXACT if found.shape == wanted.shape else How.FLAT
    if not _close(found.ordered, wanted.ordered, gap):
        return How.NONE
    if wanted.discrete or found.discrete:  # a mask has few different values: order is all it has
        return How.NONE
    turned = any(_close(found.flat, t, gap) for t in _exchanged(wanted))
    return How.AXES if turned else How.MOVED


def agrees(found: Numbers, wanted: Numbers, allowed: float) -> bool:
    """Whether the numbers are those, in the same order, wherever those that are wanted are numbers.

    A learner may have replaced what would be NaN.
    """
    if not math.isnan(wanted.total):
        return how(found, wanted, allowed) >= How.FLAT
    if found.numel != wanted.numel:
        return False
    known = ~wanted.flat.isnan()
    return bool(known.any()) and _close(found.flat[known], wanted.flat[known], allowed * wanted.scale)


def _close(x: Tensor, y: Tensor, gap: float) -> bool:
    difference = (x - y).abs()
    if bool((difference <= gap).all()):
        return True
    same = (x == y) | (x.isnan() & y.isnan())
    return bool((same | (difference <= gap)).all())


def _exchanged(wanted: Numbers) -> Iterator[Tensor]:
    """The numbers with the axes in every other order."""
    plain = wanted.value.squeeze()
    if plain.dim() > MOST_AXES:
        return
    orders = permutations(range(plain.dim()))
    next(orders)
    for order in orders:
        yield plain.permute(order).flatten()


def sightings(
    events: Sequence[Event], returned: Sequence[Tensor], shapes: Collection[tuple[int, ...]], lenient: bool
) -> list[Sighting]:
    """What was computed, in order: each operation, and loops whose turns together have as many numbers as
    one of `shapes`, at the place of their first turn."""
    sizes = {math.prod(shape) for shape in shapes}
    found: list[Sighting] = []
    for index, event in enumerate(events):
        if event.value is not None and event.value.numel():
            found.append(_sighting(index, event, event.value, lenient))
    singles = list(found)
    for turns in _loops(events):
        members = [events[i] for i in turns]
        values = [e.value for e in members if e.value is not None]
        size = values[0].numel() * len(values) if len(values) == len(turns) else 0
        if size not in sizes or size > MOST_STACKED:
            continue
        stacked = [torch.stack(values, axis) for axis in range(values[0].dim() + 1)]
        fitting = [whole for whole in stacked if tuple(whole.shape) in shapes] or stacked
        for whole in fitting:
            found.append(_sighting(turns[0], members[0], whole, lenient, len(turns)))
    found.sort(key=lambda s: s.index)
    for value in returned:
        numbers = Numbers(value, lenient)
        twins = (s for s in singles if s.value.shape == value.shape)
        if value.numel() and not any(how(s.numbers, numbers, 1e-10) is How.EXACT for s in twins):
            found.append(Sighting(len(events), "", None, (), "return", value, numbers, returned=True))
    return found


def _sighting(index: int, event: Event, value: Tensor, lenient: bool, turns: int = 1) -> Sighting:
    numbers = Numbers(value, lenient)
    return Sighting(index, event.file, event.line, event.path, event.op, value, numbers, turns)


def _loops(events: Sequence[Event]) -> Iterator[list[int]]:
    """The places of operations that a loop repeats: the same line, turn after turn the same operations."""
    lines: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
    for index, event in enumerate(events):
        if event.value is not None:
            lines.setdefault((event.file, event.line, event.path), []).append(index)
    for places in lines.values():
        kinds = [_kind(events[i]) for i in places]
        count = len(kinds)
        for period in range(1, count // 2 + 1):
            if count % period == 0 and all(kinds[i] == kinds[i % period] for i in range(count)):
                for start in range(period):
                    yield places[start::period]
                break


def _kind(event: Event) -> tuple[str, tuple[int, ...], torch.dtype]:
    assert event.value is not None
    return event.op, tuple(event.value.shape), event.value.dtype


def only_parts(events: Sequence[Event], wanted: Numbers, tolerance: Tolerance) -> int | None:
    """The place of the first operation of a line that only ever gives parts of `wanted`, or None."""
    if wanted.constant or wanted.discrete or len(wanted.shape) < 2:
        return None
    parts: dict[tuple[int, ...], list[Numbers]] = {}
    for part in _parts(wanted.value):
        parts.setdefault(tuple(part.shape), []).append(Numbers(part, wanted.lenient))
    lines: dict[tuple[str, int, str, tuple[int, ...]], list[int]] = {}
    for index, event in enumerate(events):
        value = event.value
        if value is not None and value.numel() >= 4 and tuple(value.shape) in parts:
            lines.setdefault((event.file, event.line, event.op, event.path), []).append(index)
    for places in sorted(lines.values()):
        seen = [v for i in places if (v := events[i].value) is not None]
        if len(seen) < 2 or sum(v.numel() for v in seen) >= wanted.numel:
            continue  # no loop, or all of it, which is judged together
        if all(_one_of(Numbers(v, wanted.lenient), parts, tolerance.of(v.dtype)) for v in seen):
            return places[0]
    return None


def _one_of(found: Numbers, parts: dict[tuple[int, ...], list[Numbers]], allowed: float) -> bool:
    return not found.constant and any(
        how(found, part, allowed) is How.EXACT for part in parts.get(found.shape, ())
    )


def _parts(value: Tensor) -> Iterator[Tensor]:
    for axis in range(min(2, value.dim() - 1)):
        yield from value.unbind(axis)
    if value.dim() >= 3:
        yield from value.flatten(0, 1).unbind(0)
