"""The range of what each line of a submission computed, from a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.errors import SubmissionError
from grader.marking.records import ExerciseResult
from grader.pictures.records import RangeLine
from grader.submission.launcher import Launcher
from grader.submission.source import Submission
from grader.text import Text
from grader.tracing.records import Mark, TracedLine, TracedValue
from grader.tracing.run import trace_exercise

__all__ = ["ranges_of"]


def ranges_of(
    submission: Submission,
    result: ExerciseResult,
    launcher: Launcher,
    budget: Mapping[str, float] | None = None,
) -> tuple[RangeLine, ...]:
    """A line for each value that a small example shows; none where it cannot be traced."""
    try:
        trace = trace_exercise(submission, result.id, launcher, budget=budget, result=result)
    except SubmissionError:
        return ()
    return tuple(found for line in trace.lines for found in _of_line(line))


def _of_line(line: TracedLine) -> Iterator[RangeLine]:
    marked = line.mark in (Mark.WRONG, Mark.RAISED)
    values = [v for v in line.values if v.low is not None or v.nans or v.infs]
    for number, value in enumerate(values):
        first = number == 0
        yield _range(line, value, marked, line.note if first else None)
    if not values and marked:
        yield RangeLine(line.file, line.line, line.text, "", "", None, None, marked=True, note=line.note)


def _range(line: TracedLine, value: TracedValue, marked: bool, note: Text | None) -> RangeLine:
    return RangeLine(
        line.file,
        line.line,
        line.text,
        value.op,
        _shape(value),
        value.low,
        value.high,
        value.nans,
        value.infs,
        marked,
        note,
    )


def _shape(value: TracedValue) -> str:
    """``B=2 H=3 L=5 S=7``; the size alone where an axis has no name."""
    return " ".join(f"{name}={size}" if name else str(size) for name, size in zip(value.names, value.shape))
