"""`grade status --json`: the progress as plain values; times are ISO 8601 in UTC."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime, timezone
from typing import Any

from grader.reports.cleaning import clean_line
from grader.workspace.progress import Mistake, Progress, Seen, Standing

__all__ = ["SCHEMA", "status_json"]

SCHEMA = 1


def status_json(progress: Progress, language: str, changed: Collection[str] = ()) -> str:
    """The progress as JSON text; changed: exercises whose file is another than the one graded last."""
    found = {
        "schema": SCHEMA,
        "passed": progress.passed,
        "exercises": [_exercise(s, s.exercise in changed) for s in progress.standings],
        "mistakes": [_mistake(m, language) for m in progress.mistakes],
    }
    return json.dumps(found, ensure_ascii=False, allow_nan=False, indent=2)


def _exercise(standing: Standing, changed: bool) -> dict[str, Any]:
    run = standing.last
    return {
        "id": standing.exercise,
        "status": None if run is None else run.status,
        "score": None if run is None else run.score,
        "max_score": None if run is None else run.max_score,
        "changed": changed,
        "passed_at": _moment(standing.passed_at),
        "attempts": standing.attempts,
        "seconds": round(standing.seconds, 1),
        "hints": standing.hints,
    }


def _mistake(mistake: Mistake, language: str) -> dict[str, Any]:
    return {
        "id": mistake.id,
        "title": clean_line(mistake.title.in_(language)),
        "open": mistake.open,
        "came_back_in": list(mistake.back),
        "seen": [_seen(s, language) for s in mistake.seen],
    }


def _seen(seen: Seen, language: str) -> dict[str, Any]:
    return {
        "fault": clean_line(seen.fault),
        "title": clean_line(seen.title.in_(language)),
        "exercise": seen.exercise,
        "first": _moment(seen.first),
        "last": _moment(seen.last),
        "attempts": seen.attempts,
        "open": seen.open,
    }


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):  # a journal that was edited by hand
        return None
