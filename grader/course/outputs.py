"""The files that a batch leaves under OUT/, as names and texts: whoever asks for them writes them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from platform import python_version
from typing import Any

import grader
from grader.course.contents import read_contents
from grader.course.handed import Handed
from grader.course.records import ClassStatistics, Graded, Mark
from grader.course.storing import graded_from_bytes
from grader.marking.records import Report
from grader.reports.class_csv import class_csv, mark_sheet
from grader.reports.cleaning import clean
from grader.reports.json_report import report_object

__all__ = ["FEEDBACK", "MARKS", "RESULTS", "feedback", "file_names", "json_lines", "tables"]

MARKS, RESULTS, FEEDBACK = "marks.csv", "results.jsonl", "feedback"
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
MOST_NAME = 80


def file_names(students: Iterable[str]) -> dict[str, str]:
    """A file name (without ending) for each student, whatever characters the id has; no two alike, also
    where a system does not tell capital letters from small ones."""
    plain = {student: _plain(student) for student in students}
    taken = Counter(name.lower() for name in plain.values())
    return {
        student: name if taken[name.lower()] == 1 else f"{name}-{_digest(student)}"
        for student, name in plain.items()
    }


def _plain(student: str) -> str:
    name = re.sub(r"[^\w.@+-]+", "_", student).strip("._ ")[:MOST_NAME] or "student"
    return f"_{name}" if RESERVED.fullmatch(name) else name


def _digest(student: str) -> str:
    return hashlib.sha256(student.encode(errors="surrogatepass")).hexdigest()[:8]


def json_lines(marks: Sequence[Mark], language: str) -> str:
    """One object a line: the report as of `grade run --json`, with the student's id as its submission."""
    return "".join(json.dumps(_object(mark, language), ensure_ascii=False) + "\n" for mark in marks)


def _object(mark: Mark, language: str) -> dict[str, Any]:
    """What has no report has the same keys, and a problem besides."""
    graded = _graded(mark)
    if graded is not None and graded.report is not None:
        return report_object(replace(graded.report, submission=mark.row.student), language)
    problem = clean(mark.problem.in_(language)) if mark.problem is not None else None
    empty = Report(grader.__version__, version("torch"), python_version(), "none", mark.row.student, ())
    return report_object(empty, language) | {"problem": {"status": mark.status, "text": problem}}


def tables(
    marks: Sequence[Mark], stats: ClassStatistics, exercises: Sequence[str], language: str
) -> Iterator[tuple[str, str]]:
    """Name and text of the files about everyone."""
    from grader.reports.html.class_page import render_class_page

    yield MARKS, mark_sheet(marks, exercises, language)
    yield RESULTS, json_lines(marks, language)
    yield "class.html", render_class_page(stats, language)
    yield "class.csv", class_csv(stats, language)


def feedback(
    marks: Sequence[Mark], handed: Mapping[str, Handed], exercises: Sequence[str], language: str
) -> Iterator[tuple[str, str]]:
    """Name and text of two pages for each student whose submission has been looked at."""
    from grader.reports.feedback import feedback_markdown
    from grader.reports.html.feedback import render_feedback_page

    names = file_names(mark.row.student for mark in marks)
    for mark in marks:
        graded = _graded(mark)
        if graded is not None:
            place = f"{FEEDBACK}/{names[mark.row.student]}"
            sources = dict(_sources(handed.get(mark.row.student), exercises))
            yield f"{place}.html", render_feedback_page(mark, graded.report, sources, language)
            yield f"{place}.md", feedback_markdown(mark, graded.report, language)


def _graded(mark: Mark) -> Graded | None:
    return graded_from_bytes(mark.row.stored) if mark.row.stored is not None else None


def _sources(handed: Handed | None, exercises: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The learner's own lines, to be shown beside what is said of them."""
    for name, data in read_contents(handed, exercises).files if handed is not None else ():
        if name.endswith(".py"):
            yield name, data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
