"""What an interview comes to: when what went wrong, and when it was put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from grader.interview.questions import Question, asked_after
from grader.interview.state import Interview
from grader.text import Text
from grader.workspace.runs import Run

__all__ = ["Made", "PostMortem", "post_mortem"]

UNWRITTEN = "not-implemented"


@dataclass(frozen=True)
class Made:
    """A mistake: seen and fixed are seconds from the start; runs: in how many runs it was there."""

    fault: str
    title: Text
    seen: float
    fixed: float | None
    runs: int


@dataclass(frozen=True)
class PostMortem:
    """seconds: how long it lasted; first_run and passed: seconds from the start; runs: of texts that
    differed; pause: the longest time between two looks; mistakes: those fixed in the order of fixing, then
    those that remained."""

    interview: Interview
    seconds: float
    runs: int
    first_run: float | None
    passed: float | None
    pause: float
    status: str | None
    score: float
    max_score: float
    mistakes: tuple[Made, ...]
    questions: tuple[Question, ...]


def post_mortem(interview: Interview, runs: Sequence[Run]) -> PostMortem:
    """The post-mortem of an interview that has ended."""
    began = interview.started
    seconds = max(0.0, (interview.ended if interview.ended is not None else interview.deadline) - began)
    moments = [0.0, *(run.time - began for run in runs), seconds]
    looked = [run for index, run in enumerate(runs) if not index or run.source != runs[index - 1].source]
    mistakes = _mistakes(runs, began)
    made = sorted(mistakes, key=lambda m: m.seen)
    last = runs[-1] if runs else None
    return PostMortem(
        interview=interview,
        seconds=seconds,
        runs=len(looked),
        first_run=moments[1] if runs else None,
        passed=next((run.time - began for run in runs if run.passed), None),
        pause=max((b - a for a, b in pairwise(moments)), default=0.0),
        status=last.status if last is not None else None,
        score=last.score if last is not None else 0.0,
        max_score=last.max_score if last is not None else 0.0,
        mistakes=mistakes,
        questions=asked_after(interview.exercise, [m.fault for m in made]),
    )


def _mistakes(runs: Sequence[Run], began: float) -> tuple[Made, ...]:
    found: dict[str, Made] = {}
    for run in runs:
        now = {f.id: f for f in run.mistakes() if f.id != UNWRITTEN}
        for name, made in found.items():
            if name not in now and made.fixed is None:
                found[name] = replace(made, fixed=run.time - began)
        for name, fault in now.items():
            before = found.get(name)
            if before is None:
                found[name] = Made(name, fault.title, run.time - began, None, 1)
            else:  # one that came back is not fixed
                found[name] = replace(before, fixed=None, runs=before.runs + 1)
    return tuple(sorted(found.values(), key=lambda m: (m.fixed is None, m.fixed or m.seen)))
