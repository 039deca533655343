"""Reports of a class made without grading, and a session that grades nothing."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType

from grader.course.handed import Handed
from grader.course.marks import mark
from grader.course.records import Graded, Mark, Row
from grader.course.rules import Course
from grader.course.storing import graded_to_bytes
from grader.exercises.registry import exercise, module_names
from grader.exercises.texts import fault_texts
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault, Report
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["FakeSession", "a_graded", "a_handed", "a_report", "a_row", "class_of", "result_of"]

LAYERS = ("limits", "landlock", "seccomp")


def result_of(name: str, faults: Sequence[str] = (), status: str | None = None) -> ExerciseResult:
    """The result of one exercise; each fault fails one core check."""
    spec = exercise(name)
    core = [c for c in spec.checks.values() if c.tier == "core"]
    lost = {c.id for c in core[: len(faults)]}
    skipped = status in ("error", "incomplete", "blocked")
    checks = tuple(
        CheckResult(
            c.id,
            Text(c.id.replace("_", " "), c.zh),
            c.tier,
            "skipped" if skipped else "failed" if c.id in lost else "passed",
            0.0 if skipped or c.id in lost else c.points,
            c.points,
            Text("it is 1, not 2", "是 1，不是 2") if c.id in lost else None,
        )
        for c in spec.checks.values()
    )
    named = tuple(NamedFault(f, _title(name, f), Text("Why.", "原因。"), (), f"{name}.py", 7) for f in faults)
    found = (Diagnosis(named, "core", "confirmed", Text("reproduces all", "全部重现")),) if named else ()
    score = sum(c.points for c in checks)
    state = status or ("failed" if faults else "passed")
    return ExerciseResult(name, spec.title, state, score, spec.max_score, 0.1, checks, found)


def _title(name: str, fault: str) -> Text:
    for place in (name, "common"):
        if fault in fault_texts(place):
            return fault_texts(place)[fault].title
    return Text.same(fault)


def a_report(*results: ExerciseResult, layers: tuple[str, ...] = LAYERS) -> Report:
    return Report("0.1.0", "2.13.0", "3.12.1", "landlock", "", results, layers, 0.5)


def a_graded(*results: ExerciseResult, layers: tuple[str, ...] = LAYERS) -> Graded:
    return Graded(a_report(*results, layers=layers), None, False, 0.5)


def a_row(student: str, graded: Graded | None, name: str | None = None, at: datetime | None = None) -> Row:
    stored = graded_to_bytes(graded) if graded is not None else None
    return Row(student, name, f"/somewhere/{student}", at, False, "d", stored)


def a_handed(student: str, place: Path, **more: object) -> Handed:
    return Handed(student, None, place, "folder", **more)  # type: ignore[arg-type]


def class_of(count: int, seed: int = 0, course: Course | None = None) -> list[Mark]:
    """The marks of a class in which some mistakes come back, and some go together."""
    draw = random.Random(seed)
    known = {name: sorted(fault_texts(name)) for name in module_names()}
    common = {name: draw.sample(known[name], 12) for name in known}
    marks = []
    for number in range(count):
        skill = draw.betavariate(3, 2)
        results = []
        for name in module_names():
            if draw.random() < 0.04:
                results.append(result_of(name, status=draw.choice(["incomplete", "error", "blocked"])))
                continue
            some = [f for i, f in enumerate(common[name]) if draw.random() < (1 - skill) / (2 + i)]
            results.append(result_of(name, some[:2]))
        graded: Graded | None = a_graded(*results)
        if number % 67 == 66:
            graded = Graded(None, Text("a fault of the kit: it broke", "评分工具自身的错误"), True, 0.1)
        elif number % 41 == 40:
            graded = Graded(None, Text("nothing is in it", "其中什么都没有"), False, 0.1)
        row = a_row(f"{10_000 + number}", graded, f"Student Number{number}")
        marks.append(mark(row, course or Course()))
    return marks


class FakeSession:
    """Grades by a word in the first exercise: ``wrong``, ``kill``, ``hang``, ``raise``; else it is right."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def grade(self, submission: Submission, *, only: tuple[str, ...]) -> Report:
        import os

        time.sleep(self.seconds)
        first = submission.files.get(only[0])
        text = first.text if first is not None else ""
        if "kill" in text:
            os._exit(3)
        if "hang" in text:
            time.sleep(600)
        if "raise" in text:
            raise ValueError("of the kit")
        faults = ("missing-scale",) if "wrong" in text else ()
        return a_report(*(result_of(name, faults if name == only[0] else ()) for name in only))

    def __enter__(self) -> FakeSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return
