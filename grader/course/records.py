"""The records of a course: results, marks, and what is to be said of a class.  Reports read these alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from grader.marking.records import Report
from grader.text import Text

__all__ = [
    "CheckRow",
    "ClassStatistics",
    "ExerciseRow",
    "FaultRow",
    "Graded",
    "Histogram",
    "Mark",
    "Outcome",
    "PairRow",
    "Part",
    "Row",
    "RunFacts",
    "Seen",
    "Spread",
    "StudentRow",
    "Summary",
]


@dataclass(frozen=True)
class Graded:
    """report: None where there is none, and then `problem` says why.

    by_kit: the reason is the kit's or the machine's, or somebody has to say what counts; the student must
    not get a zero for it.
    """

    report: Report | None
    problem: Text | None
    by_kit: bool
    seconds: float


@dataclass(frozen=True)
class Row:
    """A submission of this batch; stored: the bytes of a `Graded`, None while it waits.  A class of 20,000 is
    kept in memory like this; `storing.graded_from_bytes` gives what they hold."""

    student: str
    name: str | None
    place: str
    handed_at: datetime | None
    marked_late: bool
    digest: str
    stored: bytes | None
    worker: str | None = None


# -- what is kept of a report ------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """A mistake of one student, with its place."""

    fault: str
    title: Text
    exercise: str
    tier: str
    line: int | None


@dataclass(frozen=True)
class Outcome:
    """How one check went; shared by all with the same outcome."""

    exercise: str
    check: str
    title: Text
    tier: str
    outcome: str


@dataclass(frozen=True)
class Summary:
    """A report in short.  layers: what confined the learner's code; stopped: some exercise was."""

    outcomes: tuple[Outcome, ...]
    seen: tuple[Seen, ...]
    kit: str
    torch: str
    python: str
    layers: tuple[str, ...]
    seconds: float
    stopped: bool


# -- marks ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The mark of one exercise; status: as in the report, or ``not graded``, ``unreadable``, ``waiting``."""

    exercise: str
    status: str
    points: float
    max_points: float


@dataclass(frozen=True)
class Mark:
    """What goes into the mark sheet.

    status: ``graded``; ``unreadable``, where nothing that was handed in can be graded (no points);
    ``not graded``, where the kit or this machine is the reason, or where people have to say what counts (no
    mark); ``waiting``.
    days_late: None where the time is not known; penalty: points taken off; final: None without a mark;
    flags: ids of what people should look at, as ``late``; problem: why there is no report; summary: what the
    class report needs of it; remarks: what else people should know of it: files taken for an exercise or
    left aside, and exercises that could not be tried; notes: of these, those on files.
    """

    row: Row
    status: str
    parts: tuple[Part, ...]
    total: float | None
    max_total: float
    days_late: int | None
    penalty: float
    final: float | None
    flags: tuple[str, ...] = ()
    problem: Text | None = None
    summary: Summary | None = None
    remarks: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()


# -- the class --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """The middle and the ends of a list of numbers."""

    count: int
    mean: float
    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float


@dataclass(frozen=True)
class Histogram:
    """How many marks lie from one edge to the next; the last bar holds its upper edge too."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class ExerciseRow:
    """How the class did in one exercise; statuses: how many of each."""

    id: str
    title: Text
    max_points: float
    mean: float
    statuses: Mapping[str, int]


@dataclass(frozen=True)
class FaultRow:
    """A mistake of the class.

    students: how many have it, in any exercise; by_exercise: how many in each; came_back: how many made it
    in one exercise and again, by themselves, in a later one; technical: no misconception but code that is
    missing or cannot run.
    """

    id: str
    title: Text
    tier: str
    technical: bool
    students: int
    by_exercise: Mapping[str, int]
    came_back: int
    who: tuple[str, ...]


@dataclass(frozen=True)
class PairRow:
    """Two mistakes of the same students: lift is how many times more often than if they had nothing to do
    with each other."""

    first: str
    second: str
    together: int
    with_first: int
    with_second: int
    lift: float


@dataclass(frozen=True)
class CheckRow:
    """A check: ran counts those whose code got so far, passed those who passed."""

    exercise: str
    id: str
    title: Text
    tier: str
    ran: int
    passed: int

    @property
    def nobody(self) -> bool:
        return self.ran > 0 and self.passed == 0


@dataclass(frozen=True)
class RunFacts:
    """On what, and how long.  seconds: of grading, over the submissions."""

    kit: str
    torch: str
    python: str
    isolation: tuple[str, ...]
    weak: bool
    seconds: Spread | None
    stopped: int


@dataclass(frozen=True)
class StudentRow:
    """key: the student's id, or the pseudonym; page: the address of the feedback page, if it may be shown."""

    key: str
    name: str | None
    mark: Mark
    seen: tuple[Seen, ...]
    page: str | None = None


@dataclass(frozen=True)
class ClassStatistics:
    """Everything on the class report.  counts: how many marks of each status."""

    title: str
    anonymous: bool
    counts: Mapping[str, int]
    max_total: float
    spread: Spread | None
    histogram: Histogram | None
    exercises: tuple[ExerciseRow, ...]
    faults: tuple[FaultRow, ...]
    pairs: tuple[PairRow, ...]
    checks: tuple[CheckRow, ...]
    students: tuple[StudentRow, ...]
    run: RunFacts | None
    flags: Mapping[str, int]
