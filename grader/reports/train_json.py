"""What was learnt as JSON, for other programs."""

from __future__ import annotations

import json
import math
from typing import Any

from grader.learning.records import Finding, Learning, TaskResult
from grader.reports.cleaning import clean

__all__ = ["learning_as_json"]

SCHEMA = 1


def learning_as_json(learning: Learning, language: str) -> str:
    """The result with its texts in one language."""
    body = {
        "schema": SCHEMA,
        **learning.versions,
        "submission": clean(learning.submission),
        "seed": learning.seed,
        "learnt": learning.learnt,
        "notes": [clean(n.in_(language)) for n in learning.notes],
        "tasks": [_task(r, language) for r in learning.results],
    }
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False)


def _task(result: TaskResult, language: str) -> dict[str, Any]:
    exam, curve = result.exam, result.curve
    return {
        "id": result.task.id,
        "status": result.status,
        "steps": len(curve.losses),
        "seconds": round(curve.seconds, 2),
        "pass_at": result.task.pass_at,
        "guessing": _number(result.task.blind),
        "exam": None
        if exam is None
        else {
            "sequences": result.task.exam,
            "accuracy": _number(exam.accuracy),
            "accuracy_of_logits": _number(exam.ours),
            "accuracy_untrained": _number(exam.untrained),
            "next_token_accuracy": _number(exam.forced),
            "loss": _number(exam.loss),
            "moved_by_next_token": _number(exam.ahead),
            "examples": [
                {name: [clean(word) for word in getattr(e, name)] for name in ("prompt", "wanted", "said")}
                for e in exam.examples
            ],
        },
        "losses": [_number(loss) for loss in curve.losses],
        "trials": [[step, _number(share)] for step, share in curve.accuracy],
        "findings": [_finding(f, language) for f in result.findings],
    }


def _finding(finding: Finding, language: str) -> dict[str, Any]:
    return {
        "id": finding.id,
        "reason": finding.heavy,
        "title": clean(finding.title.in_(language)),
        "text": clean(finding.text.in_(language)),
        "faults": list(finding.faults),
        "exercises": list(finding.exercises),
    }


def _number(value: float) -> float | str:
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)
