"""Tables for spreadsheets: the mark sheet, and the class report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from grader.course.records import ClassStatistics, Mark
from grader.reports.cleaning import clean_line
from grader.reports.course_words import FLAGS, status_words
from grader.reports.words import points
from grader.text import Text

__all__ = ["class_csv", "mark_sheet"]

RISKY = ("=", "+", "-", "@", "\t", "\r")


def mark_sheet(marks: Sequence[Mark], exercises: Sequence[str], language: str) -> str:
    """One row for each student.  Empty cells are what is not known: no mark is not a zero."""
    head = [
        "student",
        "name",
        *exercises,
        "total",
        "max",
        "days_late",
        "penalty",
        "final",
        "status",
        "remarks",
    ]
    return _table([head, *(_row(mark, language) for mark in marks)])


def _row(mark: Mark, language: str) -> list[str]:
    known = mark.total is not None
    remarks = [FLAGS[flag].in_(language) for flag in mark.flags]
    if mark.problem is not None:
        remarks.append(mark.problem.in_(language))
    remarks += [remark.in_(language) for remark in mark.remarks]
    return [
        mark.row.student,
        mark.row.name or "",
        *(points(p.points) if known else "" for p in mark.parts),
        points(mark.total) if mark.total is not None else "",
        points(mark.max_total),
        "" if mark.days_late is None else str(mark.days_late),
        points(mark.penalty) if mark.penalty else "",
        points(mark.final) if mark.final is not None else "",
        status_words(mark.status).in_(language),
        "; ".join(remarks),
    ]


def class_csv(stats: ClassStatistics, language: str) -> str:
    """The class report as one table: what a row counts stands in its first cell."""
    head = ["kind", "id", "exercise", "title", "students", "of", "share", "value"]
    everyone = sum(stats.counts.values())
    rows: list[list[str]] = [head]

    def add(kind: str, id: str, exercise: str, title: Text, students: int, of: int, value: str = "") -> None:
        share = f"{students / of:.4f}" if of else ""
        rows.append([kind, id, exercise, title.in_(language), str(students), str(of), share, value])

    for state, count in stats.counts.items():
        add("submissions", state, "", status_words(state), count, everyone)
    if stats.histogram is not None:
        edges = stats.histogram.edges
        for low, high, count in zip(edges, edges[1:], stats.histogram.counts):
            add("marks", f"{points(low)}-{points(high)}", "", Text("", ""), count, everyone)
    for exercise in stats.exercises:
        for state, count in exercise.statuses.items():
            mean = points(exercise.mean)
            add("exercise", state, exercise.id, status_words(state), count, everyone, mean)
    for fault in stats.faults:
        add("fault", fault.id, "", fault.title, fault.students, everyone)
        for name, count in fault.by_exercise.items():
            add("fault", fault.id, name, fault.title, count, everyone)
        if fault.came_back:
            add("fault again later", fault.id, "", fault.title, fault.came_back, fault.students)
    for pair in stats.pairs:
        both = f"{pair.first} + {pair.second}"
        add("faults together", both, "", Text("", ""), pair.together, everyone, f"{pair.lift:.2f}")
    for check in stats.checks:
        add("check", check.id, check.exercise, check.title, check.passed, check.ran)
    for student in stats.students:
        for seen in student.seen:
            rows.append(
                [
                    "student fault",
                    seen.fault,
                    seen.exercise,
                    seen.title.in_(language),
                    "",
                    "",
                    "",
                    student.key,
                ]
            )
    return _table(rows)


def _table(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: str) -> str:
    """Cleaned, and never a formula: a spreadsheet would run what a student is called."""
    words = clean_line(value)
    if not words.startswith(RISKY):
        return words
    try:
        float(words)
    except ValueError:
        return f"'{words}"
    return words
