"""The JSON result, an interface: ids, order and names of keys never change with the language."""

from __future__ import annotations

import json
from typing import Any

from grader.marking.records import CheckResult, Diagnosis, ExerciseResult, Held, NamedFault, Report
from grader.reports.cleaning import clean
from grader.reports.device import device_object
from grader.text import Text

__all__ = ["SCHEMA", "as_json", "report_object"]

SCHEMA = 1


def as_json(report: Report, language: str, indent: int | None = 2) -> str:
    """The report as JSON text; ``indent=None`` gives one line, for `grade batch`."""
    return json.dumps(report_object(report, language), ensure_ascii=False, allow_nan=False, indent=indent)


def report_object(report: Report, language: str) -> dict[str, Any]:
    """The report as plain values, in the order of the interface."""
    return {
        "schema": SCHEMA,
        "kit": report.kit,
        "torch": report.torch,
        "python": report.python,
        "isolation": report.isolation,
        "submission": clean(report.submission),
        "score": _points(report.score),
        "max_score": _points(report.max_score),
        "exercises": [_exercise(e, language) for e in report.exercises],
        **({} if report.device is None else {"device": device_object(report.device, language)}),
    }


def _exercise(result: ExerciseResult, language: str) -> dict[str, Any]:
    return {
        "id": result.id,
        "status": result.status,
        "score": _points(result.score),
        "max_score": _points(result.max_score),
        "seconds": round(float(result.seconds), 4),
        "carried_forward_from": list(result.carried_forward_from),
        "checks": [_check(c, language) for c in result.checks],
        "diagnoses": [_diagnosis(d, language) for d in result.diagnoses],
        **({} if result.held is None else {"memory": _held(result.held)}),
    }


def _held(held: Held) -> dict[str, int]:
    """Only where it was counted."""
    return {"positions": held.positions, "tensors": held.tensors, "suffice": held.suffice}


def _check(check: CheckResult, language: str) -> dict[str, Any]:
    return {
        "id": check.id,
        "title": _words(check.title, language),
        "tier": check.tier,
        "outcome": check.outcome,
        "points": _points(check.points),
        "max_points": _points(check.max_points),
        "message": None if check.message is None else _words(check.message, language),
    }


def _diagnosis(diagnosis: Diagnosis, language: str) -> dict[str, Any]:
    return {
        "faults": [_fault(f, language) for f in diagnosis.faults],
        "tier": diagnosis.tier,
        "confidence": diagnosis.confidence,
        "evidence": _words(diagnosis.evidence, language),
    }


def _fault(fault: NamedFault, language: str) -> dict[str, Any]:
    return {
        "id": fault.id,
        "file": None if fault.file is None else clean(fault.file),
        "line": fault.line,
        "title": _words(fault.title, language),
        "explanation": _words(fault.explanation, language),
    }


def _words(text: Text, language: str) -> str:
    return clean(text.in_(language))


def _points(value: float) -> float:
    return round(float(value), 4)
