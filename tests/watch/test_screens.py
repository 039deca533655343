"""A pipe gets every verdict once, and nothing that belongs to a terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from grader.marking.records import ExerciseResult
from grader.reports.output import make_console
from grader.text import Text
from grader.watch.screens import PipeScreen
from grader.watch.view import View

STATUSES = (("attention", "passed"), ("masks", "failed"))


def result(name: str, status: str) -> ExerciseResult:
    return ExerciseResult(name, Text(name, name), status, 1.0, 2.0, 0.1, note=Text("a note", "注"))


def shown(*views: View) -> list[str]:
    """What each of them adds."""
    stream = io.StringIO()
    screen = PipeScreen(make_console(stream, color=False, width=80), "en", Path())
    parts = []
    for view in views:
        screen.show(view)
        parts.append(stream.getvalue())
        stream.seek(0)
        stream.truncate()
    return parts


def test_a_verdict_is_printed_once() -> None:
    first = View("masks", STATUSES, result("masks", "failed"), verdict=1)
    one, again, later, same_outcome = shown(
        first,
        replace(first, listed=True),
        replace(first, also=(("encoder", "passed"),)),
        replace(first, verdict=2),
    )
    assert "masks  failed" in one
    assert again == ""
    assert later == "  also graded: ✓ encoder passed\n"
    assert "masks  failed" in same_outcome
    assert "quit" not in one + later


def test_praise_is_given_once_and_each_time() -> None:
    praised = View("masks", STATUSES, celebrated=result("attention", "passed"), verdict=1)
    still = View(None, STATUSES[:1], still="attention", verdict=3)
    one, two, three, four = shown(
        praised,
        replace(praised, result=result("masks", "failed"), verdict=2),
        still,
        replace(still, verdict=4),
    )
    assert "attention passed" in one
    assert "attention passed" not in two
    assert "masks  failed" in two
    assert "attention still passes" in three
    assert three == four


def test_nothing_is_said_before_anything_is_known() -> None:
    assert shown(View("masks", STATUSES)) == [""]
