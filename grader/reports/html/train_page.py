"""The page of what was learnt: curves, answers, findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.learning.records import Learning, TaskResult
from grader.reports.html.environment import page_environment
from grader.reports.numbers import exact
from grader.reports.plotting import bins
from grader.reports.train import STATUS, figures, pointers, said
from grader.text import Text

__all__ = ["render_training_page"]

WIDTH, HEIGHT = 600.0, 180.0  # of the picture, in its own units
LEFT, BASE, TOP = 40.0, 160.0, 8.0
POINTS = 300
CLASSES = {"learnt": "passed", "not learnt": "failed", "stopped": "stopped"}


def render_training_page(learning: Learning, language: str) -> str:
    """The whole page as text, complete in itself."""
    environment = page_environment(language)
    return environment.get_template("train.html.j2").render(
        learning=learning,
        views=[_view(result) for result in learning.results],
        states=STATUS,
        classes=CLASSES,
        said=said,
        pointers=pointers,
        done=sum(r.learnt for r in learning.results),
    )


@dataclass(frozen=True)
class _View:
    """lines: the pieces of the loss's curve, as points; trials: those of the accuracy; blind: the height of
    guessing; rows: the same as a table."""

    result: TaskResult
    lines: tuple[str, ...]
    trials: str
    blind: float
    top: str
    figures: tuple[Text, ...]
    rows: tuple[tuple[int, str, str], ...]


def _view(result: TaskResult) -> _View:
    losses, trials = result.curve.losses, result.curve.accuracy
    finite = [loss for loss in losses if math.isfinite(loss)]
    top = max([*finite, result.task.blind])
    steps = max(1, len(losses) - 1)
    places = [LEFT + (WIDTH - LEFT) * i / steps for i in range(len(losses))]
    share = dict(trials)
    every = max(1, len(losses) // 12)
    rows = [
        (n, exact(losses[n - 1]), f"{share[n]:.0%}" if n in share else "")
        for n in range(1, len(losses) + 1)
        if n == 1 or n == len(losses) or n % every == 0
    ]
    return _View(
        result,
        tuple(_pieces(bins(places, POINTS), bins(losses, POINTS), top)),
        " ".join(
            f"{LEFT + (WIDTH - LEFT) * (step - 1) / steps:.1f},{_height(accuracy, 1.0):.1f}"
            for step, accuracy in trials
        ),
        _height(result.task.blind, top),
        exact(round(top, 2)),
        tuple(figures(result)),
        tuple(rows),
    )


def _pieces(places: Sequence[float], values: Sequence[float], top: float) -> list[str]:
    """Where a value is no number, the line is broken."""
    pieces: list[list[str]] = [[]]
    for x, value in zip(places, values):
        if math.isfinite(value):
            pieces[-1].append(f"{x:.1f},{_height(value, top):.1f}")
        elif pieces[-1]:
            pieces.append([])
    return [" ".join(piece) for piece in pieces if piece]


def _height(value: float, top: float) -> float:
    return BASE - (BASE - TOP) * min(1.0, max(0.0, value / top))
