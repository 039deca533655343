"""Maps as tables of cells: which colour, which number, which outline.  Colours themselves are CSS."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from grader.marking.picture import Matrix, Picture
from grader.reports.numbers import exact, short
from grader.text import Text

__all__ = ["NAMES", "Cell", "Heat", "Panel", "heat"]

STEPS = 10  # of a colour map: from 0 to 10
NUMBERS_UP_TO = 8  # columns; wider maps have no room for numbers in their cells
ALIKE = 1e-5  # a difference below this, against the largest value, is rounding


@dataclass(frozen=True)
class Cell:
    """style: the classes of the cell; value: for the reader; shown: what fits into the cell."""

    style: str
    value: str
    shown: str


@dataclass(frozen=True)
class Panel:
    """One of the three maps: ``yours``, ``expected`` or ``difference``; low, high: the ends of its scale;
    scale: ``q`` (one hue, from nothing to much) or ``d`` (two hues, with zero between them)."""

    name: str
    cells: tuple[tuple[Cell, ...], ...]
    scale: str
    low: str
    high: str


@dataclass(frozen=True)
class Heat:
    """A picture ready to be drawn; leaks: how many forbidden cells hold something; differs: whether the
    learner's is another than expected; reasons: which kinds of forbidden cells there are."""

    picture: Picture
    panels: tuple[Panel, ...]
    leaks: int
    differs: bool
    reasons: tuple[str, ...]

    @property
    def numbers(self) -> bool:
        return len(self.picture.columns) <= NUMBERS_UP_TO


def heat(picture: Picture) -> Heat:
    """The three maps of a picture, or the expected one alone where there is nothing of the learner's."""
    yours, expected, top = picture.yours, picture.expected, picture.top
    two_sided = picture.kind == "values"
    leaks = picture.leaking()
    panels = [_panel("expected", expected, picture, top, two_sided)]
    differs = False
    if yours is not None:
        gap = tuple(tuple(_gap(a, b) for a, b in zip(r, s)) for r, s in zip(yours, expected))
        most = max((abs(v) for row in gap for v in row if math.isfinite(v)), default=0.0)
        unlike = any(not math.isfinite(v) for row in gap for v in row)
        differs = bool(leaks) or unlike or most > picture.alike * max(1.0, top)
        if not differs:
            gap = tuple(tuple(0.0 for _ in row) for row in gap)
        panels.insert(0, _panel("yours", yours, picture, top, two_sided, leaks))
        panels.append(_panel("difference", gap, picture, most or 1.0, True))
    reasons = tuple(sorted({r for row in picture.forbidden for r in row if r}))
    return Heat(picture, tuple(panels), len(leaks), differs, reasons)


def _gap(yours: float, expected: float) -> float:
    if yours == expected:  # also where both are infinite
        return 0.0
    return yours - expected


def _panel(
    name: str,
    matrix: Matrix,
    picture: Picture,
    top: float,
    two_sided: bool,
    leaks: Collection[tuple[int, int]] = (),
) -> Panel:
    """`top`: the end of the scale; a wild value of the learner's does not blank the rest."""
    cells = tuple(
        tuple(
            _cell(value, picture.reason(r, c), (r, c) in leaks, top, two_sided) for c, value in enumerate(row)
        )
        for r, row in enumerate(matrix)
    )
    low = short(-top) if two_sided else "0"
    return Panel(name, cells, "d" if two_sided else "q", low, short(top))


def _cell(value: float, reason: str, leaks: bool, top: float, two_sided: bool) -> Cell:
    styles = [_colour(value, top, two_sided), reason, "leak" if leaks else ""]
    return Cell(" ".join(filter(None, styles)), exact(value), _in_cell(value))


def _in_cell(value: float) -> str:
    """At most five characters, where a cell has room for no more."""
    if value == 0 or not math.isfinite(value) or abs(value) >= 100:
        return short(value)
    if abs(value) < 0.005:
        return "~0"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def _colour(value: float, top: float, two_sided: bool) -> str:
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf"
    share = max(-1.0, min(1.0, value / top))
    if two_sided:
        half = STEPS // 2
        return f"d{half + _away_from_zero(share, half)}"
    return f"q{_away_from_zero(max(0.0, share), STEPS)}"


def _away_from_zero(share: float, steps: int) -> int:
    """The step of a share: the step of nothing is for (nearly) nothing alone."""
    step = round(abs(share) * steps)
    if step == 0 and abs(share) > 1e-6:
        step = 1
    return -step if share < 0 else step


NAMES = {
    "yours": Text("Yours", "你的"),
    "expected": Text("Expected", "应为"),
    "difference": Text("Difference", "差值"),
}
