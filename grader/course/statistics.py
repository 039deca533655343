"""What the marks and reports of a class say of it.  Pure functions."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from grader.course.general import general_title
from grader.course.guards import check_isolation
from grader.course.records import (
    CheckRow,
    ClassStatistics,
    ExerciseRow,
    FaultRow,
    Histogram,
    Mark,
    PairRow,
    RunFacts,
    Seen,
    Spread,
    StudentRow,
)
from grader.course.rules import Course
from grader.exercises.registry import exercise
from grader.text import Text

__all__ = ["class_statistics", "histogram", "pairs", "spread"]

BARS = 10
LEAST_TOGETHER = 3  # students with both, below which a pair says nothing
LEAST_LIFT = 1.2
MOST_PAIRS = 20
# no misconceptions: what is missing, or does not run; `raises-...` besides
TECHNICAL = ("not-implemented", "missing-name", "syntax-error", "unreadable-file", "import-error", "timeout",
             "out-of-memory", "crash")  # fmt: skip


def class_statistics(
    marks: Sequence[Mark],
    course: Course,
    *,
    key: Callable[[str], str] | None = None,
    page: Callable[[str], str | None] = lambda student: None,
) -> ClassStatistics:
    """The class report.  key: gives the pseudonym of a student, and then no name is in any record."""
    if key is not None:  # nothing below is in the order of the names
        pseudonym = key
        marks = sorted(marks, key=lambda m: pseudonym(m.row.student))
    students = tuple(_student(m, key, page) for m in marks)
    finals = [m.final for m in marks if m.final is not None]
    top = marks[0].max_total if marks else 0.0
    seen = {s.key: s.seen for s in students}
    return ClassStatistics(
        title=course.title,
        anonymous=key is not None,
        counts=Counter(m.status for m in marks),
        max_total=top,
        spread=spread(finals),
        histogram=histogram(finals, top),
        exercises=tuple(_exercise(name, marks) for name in course.exercises),
        faults=_faults(seen, course.exercises),
        pairs=pairs({k: {s.fault for s in found if not _technical(s.fault)} for k, found in seen.items()}),
        checks=_checks(marks, course),
        students=students,
        run=_run(marks),
        flags=Counter(flag for m in marks for flag in m.flags),
    )


# -- numbers ----------------------------------------------------------------------------------------


def spread(values: Sequence[float]) -> Spread | None:
    """None for no values at all."""
    if not values:
        return None
    ends = sorted(values)
    quarter, median, three = (
        statistics.quantiles(ends, n=4, method="inclusive") if len(ends) > 1 else [ends[0]] * 3
    )
    return Spread(len(ends), statistics.fmean(ends), ends[0], quarter, median, three, ends[-1])


def histogram(values: Sequence[float], top: float, bars: int = BARS) -> Histogram | None:
    """`bars` bars from 0 to `top`."""
    if not values or top <= 0:
        return None
    counts = [0] * bars
    for value in values:
        counts[min(bars - 1, max(0, math.floor(value / top * bars + 1e-9)))] += 1
    return Histogram(tuple(top * i / bars for i in range(bars + 1)), tuple(counts))


def pairs(faults: Mapping[str, set[str]]) -> tuple[PairRow, ...]:
    """Which mistakes go together, of `faults` by student: those that do so more often than by chance."""
    alone = Counter(fault for found in faults.values() for fault in found)
    both = Counter(pair for found in faults.values() for pair in combinations(sorted(found), 2))
    rows = [
        PairRow(a, b, n, alone[a], alone[b], n * len(faults) / (alone[a] * alone[b]))
        for (a, b), n in both.items()
        if n >= LEAST_TOGETHER
    ]
    rows = [row for row in rows if row.lift >= LEAST_LIFT]
    rows.sort(key=lambda row: (-row.together * math.log(row.lift), row.first, row.second))
    return tuple(rows[:MOST_PAIRS])


# -- students, exercises, checks --------------------------------------------------------------------


def _student(mark: Mark, key: Callable[[str], str] | None, page: Callable[[str], str | None]) -> StudentRow:
    seen = mark.summary.seen if mark.summary is not None else ()
    if key is not None:
        seen = tuple(replace(one, title=general_title(one.exercise, one.fault)) for one in seen)
        return StudentRow(key(mark.row.student), None, _nameless(mark), seen)
    return StudentRow(mark.row.student, mark.row.name, mark, seen, page(mark.row.student))


def _nameless(mark: Mark) -> Mark:
    """The mark without anything that could tell whose it is: no sentence about files either."""
    row = replace(mark.row, student="", name=None, place="", handed_at=None, stored=None, digest="")
    return replace(mark, row=row, problem=None, summary=None, remarks=(), notes=())


def _exercise(name: str, marks: Sequence[Mark]) -> ExerciseRow:
    parts = [p for m in marks for p in m.parts if p.exercise == name]
    counted = [p for m in marks if m.total is not None for p in m.parts if p.exercise == name]
    mean = statistics.fmean(p.points for p in counted) if counted else 0.0
    top = parts[0].max_points if parts else 0.0
    return ExerciseRow(name, exercise(name).title, top, mean, Counter(p.status for p in parts))


def _faults(seen: Mapping[str, Sequence[Seen]], exercises: Sequence[str]) -> tuple[FaultRow, ...]:
    where: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    first: dict[str, Seen] = {}
    tiers: dict[str, set[str]] = defaultdict(set)
    for student, found in seen.items():
        for one in found:
            where[one.fault][student].add(one.exercise)
            first.setdefault(one.fault, one)
            tiers[one.fault].add(one.tier)
    rows = []
    for fault, people in where.items():
        inside = Counter(name for names in people.values() for name in names)
        rows.append(
            FaultRow(
                id=fault,
                title=general_title(first[fault].exercise, fault),
                tier="core" if "core" in tiers[fault] else "edge",
                technical=_technical(fault),
                students=len(people),
                by_exercise={name: inside[name] for name in exercises if inside[name]},
                came_back=sum(len(names) > 1 for names in people.values()),
                who=tuple(sorted(people)),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.technical, -row.students, row.tier != "core", row.id)))


def _technical(fault: str) -> bool:
    return fault in TECHNICAL or fault.startswith("raises-")


def _checks(marks: Sequence[Mark], course: Course) -> tuple[CheckRow, ...]:
    ran: Counter[tuple[str, str]] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    titles: dict[tuple[str, str], Text] = {}
    for mark in marks:
        for one in mark.summary.outcomes if mark.summary is not None else ():
            at = (one.exercise, one.check)
            titles.setdefault(at, one.title)
            ran[at] += one.outcome != "skipped"
            passed[at] += one.outcome == "passed"
    return tuple(
        CheckRow(name, spec.id, titles[name, spec.id], spec.tier, ran[name, spec.id], passed[name, spec.id])
        for name in course.exercises
        for spec in exercise(name).checks.values()
        if (name, spec.id) in titles
    )


def _run(marks: Sequence[Mark]) -> RunFacts | None:
    told = [m.summary for m in marks if m.summary is not None]
    if not told:
        return None
    weakest = min(told, key=lambda s: len(s.layers))
    return RunFacts(
        kit=weakest.kit,
        torch=weakest.torch,
        python=weakest.python,
        isolation=weakest.layers,
        weak=any(check_isolation(s.layers) is not None for s in told),
        seconds=spread([s.seconds for s in told]),
        stopped=sum(s.stopped for s in told),
    )
