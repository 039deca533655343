"""What a trace shows, as frozen records.  The pages and the JSON are pure functions over them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.text import Text

__all__ = ["Given", "Mark", "Trace", "TracedLine", "TracedValue"]


class Mark(enum.Enum):
    """What is known of a line: it is right, it leaves the model, it raises, or nothing."""

    NONE = "none"
    RIGHT = "right"
    WRONG = "wrong"
    RAISED = "raised"


@dataclass(frozen=True)
class TracedValue:
    """A tensor in a few numbers.

    names: of the axes, None where the size is that of nothing named; low, high: of what is finite, None
    where nothing is; nans, infs: how many; trues: of a boolean tensor, how many are True; numel: how many
    numbers there are in all.
    """

    shape: tuple[int, ...]
    names: tuple[str | None, ...]
    dtype: str
    strides: tuple[int, ...]
    contiguous: bool
    low: float | None
    high: float | None
    nans: int = 0
    infs: int = 0
    trues: int | None = None
    numel: int = 0
    op: str = ""


@dataclass(frozen=True)
class TracedLine:
    """One line of the learner's.

    values: what it computed last, one for each shape that it had; steps: what each operation on it gave,
    in order; times: how often it ran (0: it computed no tensor); through: files of earlier exercises that
    carried it out, and operations: how many; note: in which way it is right or wrong, or what it raised;
    wanted: what a wrong line should have computed; operands: the shapes that what it raised was given.
    """

    file: str
    line: int
    text: str
    values: tuple[TracedValue, ...] = ()
    times: int = 0
    mark: Mark = Mark.NONE
    note: Text | None = None
    steps: tuple[TracedValue, ...] = ()
    through: tuple[str, ...] = ()
    operations: int = 0
    wanted: TracedValue | None = None
    operands: tuple[TracedValue, ...] = ()


@dataclass(frozen=True)
class Given:
    """An argument of the call, or one of its results: a tensor, or (`words`) something else."""

    name: str
    value: TracedValue | None = None
    words: str = ""


@dataclass(frozen=True)
class Trace:
    """One call of an exercise.

    call: the function or class; title: what it was given, in words; sizes: the names of the sizes; calls:
    all that could be traced instead; settings: of the constructor; note: what has to be said of the whole;
    outcome: ``ok``, ``raised``, or what stopped it; faults: ids of the mistakes that are marked; right:
    whether the call did what it should.
    """

    exercise: str
    call: str
    title: Text
    file: str
    sizes: Mapping[str, int]
    given: tuple[Given, ...]
    lines: tuple[TracedLine, ...]
    returned: tuple[Given, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    train: bool = False
    calls: tuple[str, ...] = ()
    outcome: str = "ok"
    note: Text | None = None
    faults: tuple[str, ...] = ()
    right: bool = True

    @property
    def first_wrong(self) -> TracedLine | None:
        """The first line that leaves the model, or raises."""
        return next((n for n in self.lines if n.mark in (Mark.WRONG, Mark.RAISED)), None)
