"""Traces of texts handed in as one exercise, with the solutions for the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.marking.records import ExerciseResult
from grader.submission.source import Submission, parse_source
from grader.text import Text
from grader.tracing.records import Trace
from grader.tracing.run import trace_exercise
from tests.support import Grader

Traced = Callable[..., Trace]
UNGRADED = Text("", "")


@pytest.fixture
def traced(grader: Grader) -> Traced:
    """The trace of a file or a text; with `graded=False` nothing is known of its mistakes."""

    def run(exercise: str, source: Path | str, *, graded: bool = True, **options: Any) -> Trace:
        raw = source.encode() if isinstance(source, str) else source.read_bytes()
        file = replace(parse_source(exercise, f"{exercise}.py", raw), module=exercise)
        submission = Submission(exercise, {**grader.solutions, exercise: file}, (exercise,))
        result = None if graded else ExerciseResult(exercise, UNGRADED, "failed", 0.0, 1.0, 0.0)
        return trace_exercise(submission, exercise, grader.launcher, result=result, **options)

    return run
