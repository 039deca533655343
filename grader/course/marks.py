"""From a report to a mark, by the rules of the course.  Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from grader.course.records import Graded, Mark, Part, Row
from grader.course.rules import Course, Late
from grader.course.storing import graded_from_bytes
from grader.course.summary import summary_of
from grader.exercises.registry import exercise
from grader.marking.records import ExerciseResult
from grader.text import Text

__all__ = ["days_late", "mark"]

DAY = 86_400.0
STOPS = ("timeout", "out-of-memory", "crash")  # the code did not come to an end by itself
MOST_WORDS = 160  # of a remark


def mark(row: Row, course: Course, notes: Sequence[Text] = ()) -> Mark:
    """The mark of one submission.  notes: what was taken for an exercise, and what was left aside."""
    scale = _scale(course)
    graded = graded_from_bytes(row.stored) if row.stored is not None else None
    worth = {name: _worth(name, course) * scale for name in course.exercises}
    top = sum(worth.values())
    status = _status(graded)
    results = _results(graded)
    remarks = (*notes, *_remarks([results[name] for name in course.exercises if name in results]))
    parts = tuple(_part(name, status, results.get(name), worth[name], course) for name in course.exercises)
    days = days_late(row.handed_at, course.late)
    flags = _flags(row, course, days)
    problem = graded.problem if graded is not None else None
    told = tuple(notes)
    if status in ("waiting", "not graded"):
        return Mark(row, status, parts, None, top, days, 0.0, None, flags, problem, None, told, told)
    summary = summary_of(graded) if graded is not None else None
    total = sum(p.points for p in parts)
    share = _taken(days, course.late)
    final = _rounded(total * (1.0 - share), course.round_to)
    penalty = total * share
    return Mark(row, status, parts, total, top, days, penalty, final, flags, problem, summary, remarks, told)


def days_late(at: datetime | None, late: Late | None) -> int | None:
    """Days that have begun after the deadline and the grace; None where either time is not known."""
    if late is None or at is None:
        return None
    when = at if at.tzinfo is not None else at.replace(tzinfo=late.deadline.tzinfo)
    seconds = when.timestamp() - late.deadline.timestamp()
    return 0 if seconds <= late.grace_minutes * 60 else math.ceil(seconds / DAY)


def _taken(days: int | None, late: Late | None) -> float:
    """The share of the mark that is taken off."""
    if not days or late is None:
        return 0.0
    if late.none_after is not None and days > late.none_after:
        return 1.0
    return min(days * late.penalty_per_day, late.at_most) / 100.0


def _flags(row: Row, course: Course, days: int | None) -> tuple[str, ...]:
    late = course.late
    if days:
        over = late is not None and late.none_after is not None and days > late.none_after
        return ("late", "too-late") if over else ("late",)
    if row.marked_late and days is None:
        return ("marked-late",)
    return ("time-unknown",) if late is not None and row.handed_at is None else ()


def _status(graded: Graded | None) -> str:
    if graded is None:
        return "waiting"
    if graded.report is not None:
        return "graded"
    return "not graded" if graded.by_kit else "unreadable"


def _results(graded: Graded | None) -> Mapping[str, ExerciseResult]:
    if graded is None or graded.report is None:
        return {}
    return {e.id: e for e in graded.report.exercises}


def _remarks(results: Iterable[ExerciseResult]) -> Iterator[Text]:
    """Why an exercise has few points, where it is not that its code is wrong: no file, one that cannot be
    read or imported, code that had to be stopped, or that stands on a part which cannot run."""
    for result in results:
        if result.status in ("passed", "failed"):
            stops = [c.message for c in result.checks if c.fault in STOPS and c.message is not None]
            notes = stops[:1]
        else:
            notes = [result.note] if result.note is not None else []
        for note in notes:
            named = f"{result.id}.py" in note.en
            yield Text(
                _short(note.en if named else f"{result.id}: {note.en}"),
                _short(note.zh if named else f"{result.id}：{note.zh}"),
            )


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 1] + "…"


def _part(name: str, status: str, result: ExerciseResult | None, worth: float, course: Course) -> Part:
    if result is None:
        return Part(name, status, 0.0, worth)
    counted = [c for c in result.checks if course.edge_checks or c.tier == "core"]
    most = sum(c.max_points for c in counted)
    share = sum(c.points for c in counted) / most if most else 0.0
    return Part(name, result.status, share * worth, worth)


def _worth(name: str, course: Course) -> float:
    return course.points.get(name, _own_points(name, course)) * course.weights.get(name, 1.0)


def _own_points(name: str, course: Course) -> float:
    checks = exercise(name).checks.values()
    return sum(c.points for c in checks if course.edge_checks or c.tier == "core")


def _scale(course: Course) -> float:
    total = sum(_worth(name, course) for name in course.exercises)
    return course.total / total if course.total is not None and total else 1.0


def _rounded(value: float, step: float) -> float:
    """To the nearest step, halves up; what floating point adds is taken off first."""
    if step <= 0:
        return round(value, 10)
    exact = Decimal(repr(round(value / step, 9))).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return float(exact * Decimal(repr(step)))
