"""The result of an exercise whose suite has run, or could not: its status, its points, its diagnosis."""

from __future__ import annotations

import ast
import functools
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from grader.diagnosis.diagnose import diagnose
from grader.exercises.registry import Exercise
from grader.exercises.texts import fault_text
from grader.marking.case import Case
from grader.marking.holding import held_by
from grader.marking.lab import Lab
from grader.marking.leaks import leak_of
from grader.marking.plugin import Ran
from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, NamedFault
from grader.marking.reference import note_of
from grader.submission.files import SourceFile
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["result_of"]


def result_of(case: Case, submission: Submission, ran: Ran, *, diagnosed: bool = True) -> ExerciseResult:
    """What the report says of an exercise; `diagnosed`: with what is wrong, where points are lost."""
    started = time.perf_counter()
    status, note = _status(case, ran.checks)
    if note is None and case.stand_ins and case.lab is not None:
        note = note_of(case.stand_ins)
    checks = tuple(ran.checks) or _not_run(case.exercise, note)
    score = sum(c.points for c in checks)
    diagnoses: tuple[Diagnosis, ...]
    if not diagnosed:
        diagnoses = ()
    elif case.lab is not None and case.file is not None:
        diagnoses = _diagnoses(case.lab, case, case.file, checks, ran, status)
    else:
        diagnoses = _static_diagnosis(case)
    return ExerciseResult(
        id=case.exercise.id,
        title=case.exercise.title,
        status=status,
        score=round(score, 4),
        max_score=round(case.exercise.max_score, 4),
        seconds=round(ran.seconds + time.perf_counter() - started, 4),
        checks=checks,
        diagnoses=diagnoses,
        note=note,
        printed=case.printed,
        readable=status != "error" and (case.file is None or case.file.problem is None),
        # last: what the learner's code prints while the map is made is not told
        leak=leak_of(case.lab, checks, diagnoses) if case.lab is not None and diagnosed else None,
        held=held_by(case.lab, status),
    )


def _diagnoses(
    lab: Lab, case: Case, file: SourceFile, checks: Sequence[CheckResult], ran: Ran, status: str
) -> tuple[Diagnosis, ...]:
    """What is wrong with the parts that are written comes first, then what is not written."""
    with nullcontext() if case.client is None else case.client.recalling():
        return _diagnosed(lab, case, file, checks, ran, status)


def _diagnosed(
    lab: Lab, case: Case, file: SourceFile, checks: Sequence[CheckResult], ran: Ran, status: str
) -> tuple[Diagnosis, ...]:
    if status != "incomplete":
        return diagnose(lab, case.exercise, file, checks, ran.seen, status)
    if case.fault is not None:
        rest = _static_diagnosis(case)
    else:
        rest = diagnose(lab, case.exercise, file, checks, ran.seen, status)
    written = [c for c in checks if c.fault not in ("not-implemented", "missing-name")]
    found = diagnose(lab, case.exercise, file, written, ran.seen, status)
    return tuple(d for d in found if _specific(d)) + rest


def _specific(diagnosis: Diagnosis) -> bool:
    """Names a mistake; an exception may just come from the part that is not written."""
    return any(not f.id.startswith("raises-") for f in diagnosis.faults)


def _status(case: Case, checks: Sequence[CheckResult]) -> tuple[str, Text | None]:
    if case.lab is None:
        return case.status or "error", case.note
    failed = [c for c in checks if c.tier == "core" and c.outcome != "passed"]
    if case.status == "incomplete":
        return "incomplete", case.note
    if not failed:
        return "passed", None
    unwritten = [c for c in failed if c.fault == "not-implemented"]
    if unwritten and case.unfinished:
        return "incomplete", _still_to_write(case)
    if any(c.line is not None for c in unwritten):  # a TODO in a helper, or behind a condition
        return "incomplete", next(c.message for c in unwritten if c.line is not None)
    if case.client is not None and case.client.exhausted and case.client.stopped_by is not None:
        return "stopped", next((c.message for c in failed if c.fault in _STOPS), None)
    if all(c.fault in _STOPS for c in failed):
        return "stopped", next(c.message for c in failed)
    return "failed", None


def _still_to_write(case: Case) -> Text:
    names = [Text.same(name) for name in sorted(case.unfinished, key=lambda n: case.unfinished[n])]
    spot = f"{case.file.name if case.file else ''}:{min(case.unfinished.values())}"
    listed = Text.join(names)
    verb = "is" if len(names) == 1 else "are"
    return Text(
        f"{listed.en} {verb} not written yet (the TODO at {spot})",
        f"{listed.zh} 尚未完成（{spot} 处的 TODO）",
    )


_STOPS = {"timeout", "out-of-memory", "crash"}


def _not_run(exercise: Exercise, why: Text | None) -> tuple[CheckResult, ...]:
    rows = exercise.checks.values()
    return tuple(
        CheckResult(r.id, _title(exercise, r.id, r.zh), r.tier, "skipped", 0.0, r.points, why) for r in rows
    )


def _title(exercise: Exercise, check: str, zh: str) -> Text:
    return Text(_docstrings(exercise.suite).get(check, check), zh)


@functools.cache
def _docstrings(suite: Path) -> Mapping[str, str]:
    """The titles of checks that were not run: their docstrings, read without importing the suite."""
    tree = ast.parse(suite.read_text(encoding="utf-8"))
    return {
        n.name.removeprefix("test_"): (ast.get_docstring(n) or "").splitlines()[0]
        for n in tree.body
        if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and ast.get_docstring(n)
    }


def _static_diagnosis(case: Case) -> tuple[Diagnosis, ...]:
    """The diagnosis of a file that could not be run."""
    if case.fault is None:
        return ()
    texts = fault_text(case.exercise.id, case.fault)
    file = case.place or (case.file.name if case.file is not None else None)
    named = NamedFault(case.fault, texts.title, texts.explanation, texts.hints, file, case.line)
    return (Diagnosis((named,), "core", "confirmed", case.note or Text("", "")),)
