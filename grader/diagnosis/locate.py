"""Finds the learner's line that a fault sits in, from the recorded tensor operations.

The faulty model knows what the mistaken step gives on the traced probe; the recorded operation whose
result is that value (up to transposition and reshaping) is the line.  For something absent, it is the
line of the next step, where the missing thing belongs.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader.diagnosis.faults import Fault
from grader.diagnosis.model import State
from grader.submission.observation import Event

__all__ = ["find_step", "locate", "same_numbers"]

CLOSE = 1e-6


def same_numbers(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors hold the same numbers, in whatever shape or order of axes."""
    if a.numel() != b.numel() or a.numel() == 0:
        return False
    x, y = a.double().flatten(), b.double().flatten()
    if a.shape == b.shape and _close(x, y):
        return True
    return _close(x.sort().values, y.sort().values)


def _close(x: Tensor, y: Tensor) -> bool:
    same = (x == y) | (x.isnan() & y.isnan())
    scale = y[y.isfinite()].abs().max() if bool(y.isfinite().any()) else torch.tensor(1.0)
    near = (x - y).abs() <= CLOSE * torch.clamp(scale, min=1.0)
    return bool((same | near).all())


def find_step(events: Sequence[Event], value: object, *, last: bool = False) -> Event | None:
    """The first (or last) recorded operation that gave this value."""
    if not isinstance(value, Tensor):
        return None
    found = None
    for event in events:
        if event.value is not None and same_numbers(event.value, value):
            if not last:
                return event
            found = event
    return found


def locate(fault: Fault, state: State | None, events: Sequence[Event]) -> tuple[str, int] | None:
    """File and line of the fault, where the recorded operations show it."""
    if state is None or not events:
        return None
    names = list(fault.model.steps)
    first = names.index(fault.primary)
    following = names[first + 1 :]
    order = following if fault.absent else [fault.primary, *following]
    before = [getattr(state, n, None) for n in names[:first]]
    for name in order:
        value = getattr(state, name, None)
        if isinstance(value, Tensor) and any(
            isinstance(v, Tensor) and same_numbers(value, v) for v in before
        ):
            continue  # the step changed nothing here, so its value says nothing about its place
        event = find_step(events, value)
        if event is not None:
            return event.file, event.line
    # nothing after it is new: what is absent belongs after the last line that gave this value
    event = find_step(events, getattr(state, fault.primary, None), last=True)
    return None if event is None else (event.file, event.line)
