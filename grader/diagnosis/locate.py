"""Finds the learner's line that a fault sits in, from the recorded tensor operations.

The faulty model knows what the mistaken step gives on the traced probe; the recorded operation whose
result is that value is the line, in the same shape if there is one, else reshaped, for one head or
one element of the batch, or with the axes in another order.  For something absent, it is the line of
the next step, where the missing thing belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from grader.diagnosis.faults import Fault
from grader.diagnosis.model import State
from grader.submission.observation import Event

__all__ = ["Fit", "Spot", "find_step", "fit", "locate", "same_numbers"]

CLOSE = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}

FORBIDDEN = -1e4  # what a mask puts there: any number below it does the same

Array = npt.NDArray[np.float64]


class Fit(IntEnum):
    """How well a recorded value is the one looked for."""

    NONE = 0
    PERMUTED = 1
    PART = 2
    RESHAPED = 3
    EXACT = 4


@dataclass(frozen=True)
class Spot:
    """A line, and how surely it is the one: `late` counts the steps after the mistaken one."""

    file: str
    line: int
    fit: Fit
    late: int = 0

    @property
    def sure(self) -> bool:
        """Whether no other place is surer."""
        return self.late == 0 and self.fit > Fit.PERMUTED

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The surest first; of places that are as sure (one for each order of the norms), the first."""
        return (-self.late, self.fit > Fit.PERMUTED, -self.line)


def fit(found: Tensor, wanted: Tensor) -> Fit:
    """How `found` holds the numbers of `wanted`."""
    if wanted.numel() == 0 or found.numel() == 0:
        return Fit.NONE
    if found.numel() != wanted.numel():
        return Fit.PART if _is_part(found, wanted) else Fit.NONE
    close = CLOSE.get(found.dtype, 1e-6)
    x, y = _array(found).reshape(-1), _array(wanted).reshape(-1)
    if _close(x, y, close):
        return Fit.EXACT if found.shape == wanted.shape else Fit.RESHAPED
    return Fit.PERMUTED if _close(np.sort(x), np.sort(y), close) else Fit.NONE


def same_numbers(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors hold the same numbers, in whatever shape or order of axes."""
    return a.numel() == b.numel() and fit(a, b) is not Fit.NONE


def _is_part(found: Tensor, wanted: Tensor) -> bool:
    """Whether it is what one head, or one element of the batch, gives."""
    if found.dim() < 2 or found.numel() < 4:
        return False
    shape = tuple(found.shape)
    parts = [part for part in _parts(_array(wanted)) if part.shape == shape]
    if not parts or _constant(found):
        return False
    close, array = CLOSE.get(found.dtype, 1e-6), _array(found)
    return any(_close(array, part, close) for part in parts)


def _parts(value: Array) -> Iterator[Array]:
    for axis in range(min(2, value.ndim - 2)):
        yield from np.moveaxis(value, axis, 0)
    if value.ndim == 4:
        yield from value.reshape(-1, *value.shape[2:])
    if value.ndim == 3 and value.shape[-1] > 1:  # merged heads: a run of features
        for pieces in range(2, value.shape[-1]):
            if value.shape[-1] % pieces == 0:
                yield from np.split(value, pieces, axis=-1)


def _array(value: Tensor) -> Array:
    """The numbers in float64: for as few as these, numpy takes a fraction of the time."""
    array: Array = value.detach().double().numpy()
    return np.where(array < FORBIDDEN, FORBIDDEN, array)


def _close(x: Array, y: Array, close: float) -> bool:
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if same.all():
        return True
    finite = y[np.isfinite(y)]
    scale = max(1.0, float(np.abs(finite).max())) if finite.size else 1.0
    with np.errstate(invalid="ignore"):
        return bool((same | (np.abs(x - y) <= close * scale)).all())


def _constant(value: Tensor) -> bool:
    """Zeros after a dropout of everything, a row of ones: many lines give the same."""
    flat = value.flatten()
    return flat.numel() > 1 and bool((flat == flat[0]).all() | flat.isnan().all())


def find_step(events: Sequence[Event], value: object, *, last: bool = False) -> Event | None:
    """The first (or last) recorded operation that gave this value, in whatever shape."""
    if not isinstance(value, Tensor):
        return None
    found = [e for e in events if e.value is not None and same_numbers(e.value, value)]
    return found[-1 if last else 0] if found else None


def locate(
    fault: Fault,
    state: State | None,
    events: Sequence[Event],
    others: Sequence[range] = (),
    without: State | None = None,
) -> Spot | None:
    """The line of the fault, where the recorded operations show it.

    `without`: the state without this fault, which tells which of the steps it replaces it changes here;
    `others`: the lines of definitions that the exercise asks for besides this one; a call of them is
    placed at the line that calls.
    """
    if state is None or not events:
        return None
    names = list(fault.model.steps)
    primary = fault.primary
    start = names.index(primary)
    if without is not None:
        changed = [n for n in names[start:] if _differs(state, without, n)]
        start = names.index(changed[0]) if changed else start
    silent = not isinstance(getattr(state, primary, None), Tensor)  # a setting: seen where it acts first
    absent = fault.absent or (silent and start > names.index(primary))
    first = start if silent or names[start] in fault.steps else names.index(primary)
    order = names[first + fault.absent :]
    before = [v for n in names[:first] if isinstance(v := getattr(state, n, None), Tensor)]
    unchanged: Tensor | None = None
    if fault.absent and isinstance(value := getattr(state, names[first], None), Tensor):
        unchanged = value
    for late, name in enumerate(order):
        value = getattr(state, name, None)
        if not isinstance(value, Tensor) or value.numel() == 0 or _constant(value):
            continue  # says nothing about its place
        if any(fit(value, earlier) is Fit.EXACT for earlier in before):
            unchanged = value if name == names[first] else unchanged
            continue  # the step changed nothing here
        found = _best(events, value, before)
        if found is None:
            continue
        event, how = found
        if unchanged is not None:
            return _gap(events, unchanged, event, others, after=absent)
        return Spot(event.file, _line(event, others), how, late)
    # nothing after it is new: what is absent belongs after the last line that gave this value
    last = find_step(events, getattr(state, names[first], None), last=True)
    if last is None:
        return None
    if unchanged is not None and last.value is not None and fit(last.value, unchanged) is Fit.EXACT:
        return Spot(last.file, _meeting(events, last, before, others), Fit.RESHAPED)
    return Spot(last.file, (*last.path, last.line)[0], Fit.PERMUTED, len(names))


def _differs(state: State, without: State, name: str) -> bool:
    """Whether the fault changes the value of this step."""
    value, usual = getattr(state, name, None), getattr(without, name, None)
    if not isinstance(value, Tensor) or not isinstance(usual, Tensor):
        return False
    return value.shape != usual.shape or fit(value, usual) is not Fit.EXACT


def _gap(events: Sequence[Event], value: Tensor, new: Event, others: Sequence[range], *, after: bool) -> Spot:
    """Where something is missing between the last line that gave a value and the next new one.

    In the function that both lines are in, or are called from.
    """
    place = next(n for n, e in enumerate(events) if e is new)  # tensors cannot be compared with ==
    earlier = [
        e
        for e in events[:place]
        if e.value is not None and e.value.shape == value.shape and fit(e.value, value) is Fit.EXACT
    ]
    path = list(new.path)
    line = _line(new, others)
    if earlier:
        came = _own(earlier[-1], others)
        if len(came) > len(path) and came[: len(path)] == path:
            return Spot(new.file, came[-1], Fit.RESHAPED)  # the method that made it hands it on as it is
        for one, two in zip(earlier[-1].path, path):
            if one != two:
                line = two if after else one
                break
    return Spot(new.file, line, Fit.RESHAPED)


def _meeting(events: Sequence[Event], last: Event, before: Sequence[Tensor], others: Sequence[range]) -> int:
    """The line of a result in the innermost function that has made one of the earlier values as well."""
    path = _own(last, others)
    place = next(n for n, e in enumerate(events) if e is last)
    for event in reversed(events[:place]):
        if event.value is None or not any(fit(event.value, v) is Fit.EXACT for v in before):
            continue
        came = _own(event, others)
        for one, two in zip(came, path):
            if one != two:
                return two
        if len(came) < len(path):
            return came[-1] if came else path[0]
    return path[0] if path else last.line


def _own(event: Event, others: Sequence[range]) -> list[int]:
    """The lines of the calls that led to an operation, inside the definition that is looked at."""
    return [n for n in event.path if not any(n in lines for lines in others)]


def _line(event: Event, others: Sequence[range]) -> int:
    inner = _own(event, others)
    return inner[-1] if inner else event.line


def _best(events: Sequence[Event], value: Tensor, before: Sequence[Tensor]) -> tuple[Event, Fit] | None:
    """The first operation whose result is the value, whole or in part; else one with its numbers.

    A step that only moves numbers about is not taken for the step whose numbers it moves.
    """
    moved = [v for v in before if v.numel() == value.numel() and fit(v, value) is not Fit.NONE]
    best: tuple[Event, Fit] | None = None
    for event in events:
        if event.value is None:
            continue
        how = fit(event.value, value)
        if how is Fit.NONE or (how is Fit.PERMUTED and best is not None):
            continue
        if how is Fit.PART and any(fit(event.value, v) is Fit.PART for v in before):
            continue  # a head in which the step changed nothing
        if how < Fit.EXACT and any(
            v.shape == event.value.shape or (how <= Fit.PART and fit(event.value, v)) for v in moved
        ):
            continue
        best = best or (event, how)
        if how > Fit.PERMUTED:
            return event, how  # what comes later only reshapes it, or puts the heads together
    return best
