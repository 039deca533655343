"""A graded exercise as an event, and back.

    {"kind": "run", "exercise": "attention", "status": "failed", "score": 2, "max": 20, "seconds": 1.06,
     "source": "...", "work": "...", "by": "watch", "diagnoses": [{"tier": "core", "confidence": "confirmed",
     "evidence": {"en": ..., "zh": ...}, "faults": [{"id": "missing-scale", "file": ..., "line": 10}]}]}

source: fingerprint of the exercise's file alone, work: with all that its verdict depends on.  The texts of
a fault are the catalogue's; only those that hold a number of the learner's stand with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.exercises.registry import module_names
from grader.exercises.texts import fault_text
from grader.marking.records import Diagnosis, ExerciseResult, NamedFault, Report
from grader.submission.source import Submission
from grader.text import Text
from grader.workspace.digests import source_digest, work_digest
from grader.workspace.place import Event, Workspace

__all__ = ["Run", "record_report", "run_data", "run_of", "runs_of"]

STATUSES = ("passed", "failed", "incomplete", "error", "stopped", "blocked")
CONFIDENCES = ("confirmed", "likely", "unrecognised")
LONGEST = 2000
MANY = 20


@dataclass(frozen=True)
class Run:
    """One exercise, graded once."""

    exercise: str
    time: float
    status: str
    score: float
    max_score: float
    source: str
    work: str
    diagnoses: tuple[Diagnosis, ...]

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def tried(self) -> bool:
        """Something was written that could be looked at."""
        return self.status not in ("incomplete", "blocked")

    def mistakes(self) -> list[NamedFault]:
        """What was found with some certainty, in the order of the report."""
        return [f for d in self.diagnoses if d.confidence != "unrecognised" for f in d.faults]


def record_report(submission: Submission, report: Report, place: Path, by: str = "run") -> bool:
    """Remembers a report, where `place` (a folder or a file in it) is a workspace; else nothing is done."""
    workspace = Workspace.find(place if place.is_dir() else place.parent)
    if workspace is None:
        return False
    return workspace.record_all(
        [
            ("run", run_data(submission, result, by))
            for result in report.exercises
            if _is_the_workspaces(submission, result.id)
        ]
    )


def run_data(submission: Submission, result: ExerciseResult, by: str) -> dict[str, Any]:
    """The data of the event."""
    return {
        "exercise": result.id,
        "status": result.status,
        "score": result.score,
        "max": result.max_score,
        "seconds": result.seconds,
        "source": source_digest(submission.files.get(result.id)),
        "work": work_digest(submission, result.id),
        "by": by,
        "diagnoses": [_diagnosis_data(d, result.id) for d in result.diagnoses],
    }


def runs_of(workspace: Workspace) -> list[Run]:
    """All runs that are remembered, oldest first."""
    return [run for event in workspace.events("run") if (run := run_of(event)) is not None]


def run_of(event: Event) -> Run | None:
    """The run; None for an event that is none, or of an exercise that is not known (any more)."""
    name, status = event.word("exercise"), event.word("status")
    if event.kind != "run" or name not in module_names() or status not in STATUSES:
        return None
    rows = event.data.get("diagnoses")
    rows = rows if isinstance(rows, list) else []
    found = (_diagnosis(row, name) for row in rows[:MANY])
    return Run(
        name,
        event.time,
        status,
        event.number("score"),
        event.number("max"),
        event.word("source"),
        event.word("work"),
        tuple(d for d in found if d is not None),
    )


def _is_the_workspaces(submission: Submission, name: str) -> bool:
    """Not a copy under another name, which was graded as this exercise."""
    file = submission.files.get(name)
    return file is None or file.name == f"{name}.py"


# -- diagnoses --------------------------------------------------------------------------------------


def _diagnosis_data(diagnosis: Diagnosis, exercise: str) -> dict[str, Any]:
    return {
        "tier": diagnosis.tier,
        "confidence": diagnosis.confidence,
        "evidence": _text_data(diagnosis.evidence),
        "faults": [_fault_data(f, exercise) for f in diagnosis.faults],
    }


def _fault_data(fault: NamedFault, exercise: str) -> dict[str, Any]:
    data: dict[str, Any] = {"id": fault.id, "file": fault.file, "line": fault.line}
    known = fault_text(exercise, fault.id)
    if fault.title != known.title:
        data["title"] = _text_data(fault.title)
    if fault.hints != known.hints:
        data["hints"] = [_text_data(hint) for hint in fault.hints]
    return data


def _text_data(text: Text) -> dict[str, str]:
    return {"en": text.en[:LONGEST], "zh": text.zh[:LONGEST]}


def _diagnosis(row: object, exercise: str) -> Diagnosis | None:
    if not isinstance(row, dict) or row.get("confidence") not in CONFIDENCES:
        return None
    rows = row.get("faults")
    faults = [_fault(f, exercise) for f in rows[:MANY]] if isinstance(rows, list) else []
    tier = "edge" if row.get("tier") == "edge" else "core"
    evidence = _text(row.get("evidence")) or Text("", "")
    return Diagnosis(tuple(f for f in faults if f is not None), tier, str(row["confidence"]), evidence)


def _fault(row: object, exercise: str) -> NamedFault | None:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return None
    known = fault_text(exercise, row["id"][:80])
    file, line = row.get("file"), row.get("line")
    hints = row.get("hints")
    told = [_text(h) for h in hints[:MANY]] if isinstance(hints, list) else None
    return NamedFault(
        row["id"][:80],
        _text(row.get("title")) or known.title,
        Text("", ""),
        known.hints if told is None else tuple(h for h in told if h is not None),
        file[:200] if isinstance(file, str) else None,
        line if isinstance(line, int) and not isinstance(line, bool) else None,
    )


def _text(row: object) -> Text | None:
    if not isinstance(row, Mapping):
        return None
    en, zh = row.get("en"), row.get("zh")
    if not isinstance(en, str) or not isinstance(zh, str):
        return None
    return Text(en[:LONGEST], zh[:LONGEST])
