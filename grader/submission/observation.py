"""What was seen of one call: the worker's outcome and, where there is one, the value."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

__all__ = ["ErrorInfo", "Event", "Frame", "Observation", "Opaque", "Outcome"]


class Outcome(enum.Enum):
    """What the worker did; what a check makes of it is another matter."""

    OK = "ok"
    RAISED = "raised"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    OUT_OF_DISK = "wrote too much"
    MALFORMED = "malformed"


@dataclass(frozen=True)
class Opaque:
    """A value that does not cross the wall; only its type's name does."""

    type: str


@dataclass(frozen=True)
class Frame:
    """A line of the learner's in a traceback, with the shapes of the local tensors."""

    file: str
    line: int
    function: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class ErrorInfo:
    """An exception of the learner's code."""

    type: str
    message: str
    bases: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    missing: str | None = None

    @property
    def where(self) -> Frame | None:
        """The learner's innermost frame."""
        return self.frames[-1] if self.frames else None

    def within(self, file: str) -> Frame | None:
        """The learner's innermost frame in this file, or else in any."""
        return next((f for f in reversed(self.frames) if f.file == file), self.where)


@dataclass(frozen=True)
class Event:
    """One tensor operation of the learner's code.

    file, line, function: in the file that is graded, even where an earlier exercise carries it out;
    path: the lines of that file that were under way, outermost first; through: that other file; site:
    the place in the code, the same each time it runs; part: of a result of several tensors, which;
    strides: of the value as it was, which arrives in one piece; operands: the shapes that an operation
    was given that raised.
    """

    file: str
    line: int
    function: str
    op: str
    value: Tensor | None
    path: tuple[int, ...] = ()
    through: str = ""
    site: tuple[int, ...] = ()
    part: int = 0
    strides: tuple[int, ...] = ()
    operands: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True)
class Observation:
    """What one request gave.

    value: the tree that came back; changed: arguments that were modified in place; grads: the
    vector-Jacobian product by argument name (``"0"``, ``"mask"``, ``"param:W_q.weight"``), with
    None for an input that no gradient reached; gradient: ``ok``, ``detached``, ``raised`` or None
    when none was asked for; calls: for each callable passed, how often it ran and with what; held: the
    most bytes of tensors that the call kept at once, as the worker says; of a call alone (see
    `Lab.observe`), overwritten: a later call changes the result; shares: arguments in whose memory it lies.
    """

    outcome: Outcome
    value: Any = None
    error: ErrorInfo | None = None
    changed: tuple[str, ...] = ()
    grads: Mapping[str, Tensor | None] = field(default_factory=dict)
    gradient: str | None = None
    gradient_error: ErrorInfo | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    registered: bool = False
    held: int | None = None
    overwritten: bool = False
    shares: tuple[str, ...] = ()
    trace: tuple[Event, ...] = ()
    printed: str = ""
    warnings: tuple[str, ...] = ()
    globals_changed: tuple[str, ...] = ()
    exit_status: int | None = None
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.outcome is Outcome.OK
