"""A report in short: what the class report needs of it, small enough to be kept for a whole class."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from grader.course.records import Graded, Outcome, Seen, Summary
from grader.marking.records import Report
from grader.text import Text

__all__ = ["summary_of"]


def summary_of(graded: Graded) -> Summary | None:
    """None where there is no report."""
    report = graded.report
    if report is None:
        return None
    return Summary(
        outcomes=tuple(
            _outcome(e.id, c.id, c.title, c.tier, c.outcome) for e in report.exercises for c in e.checks
        ),
        seen=tuple(_seen(report)),
        kit=report.kit,
        torch=report.torch,
        python=report.python,
        layers=report.layers,
        seconds=graded.seconds,
        stopped=any(e.status == "stopped" for e in report.exercises),
    )


@functools.cache
def _outcome(exercise: str, check: str, title: Text, tier: str, outcome: str) -> Outcome:
    return Outcome(exercise, check, title, tier, outcome)


def _seen(report: Report) -> Iterator[Seen]:
    """The mistakes: those of the best explanation of the core checks, and of the edge ones."""
    for result in report.exercises:
        known = set()
        for tier in ("core", "edge"):
            best = next((d for d in result.diagnoses if d.tier == tier and d.faults), None)
            for fault in best.faults if best is not None else ():
                if fault.id not in known:
                    known.add(fault.id)
                    yield Seen(fault.id, fault.title, result.id, tier, fault.line)
