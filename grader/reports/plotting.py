"""A curve in the terminal, in dots of braille, or in plain characters where there are none."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from rich.text import Text as Styled

from grader.reports.output import UNICODE
from grader.reports.paper import Paper

__all__ = ["bins", "curve"]

# the bit of each dot of a braille character, by column and row
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def bins(values: Sequence[float], most: int) -> list[float]:
    """At most so many values: means of equal stretches; NaN where nothing of one is finite."""
    if len(values) <= most:
        return list(values)
    edges = [round(i * len(values) / most) for i in range(most + 1)]
    return [_mean(values[a:b]) for a, b in itertools.pairwise(edges)]


def curve(
    values: Sequence[float], paper: Paper, width: int, height: int, mark: float | None = None
) -> list[Styled]:
    """The values from left to right over zero; `mark`: a value at which a dotted line stands."""
    columns = bins(values, 2 * width)
    finite = [v for v in columns if math.isfinite(v)]
    top = max([*finite, mark or 0.0, 1e-9])
    rows = 4 * height
    cells = [[0] * width for _ in range(height)]
    before: int | None = None
    for x, value in enumerate(columns):
        if not math.isfinite(value):
            before = None
            continue
        y = _row(value, top, rows)
        for dot in range(
            min(y, y if before is None else before), max(y, y if before is None else before) + 1
        ):
            cells[dot // 4][x // 2] |= DOTS[x % 2][dot % 4]
        before = y
    marked = None if mark is None else _row(mark, top, rows) // 4
    return [_line(row, number == marked, paper) for number, row in enumerate(cells)]


def _row(value: float, top: float, rows: int) -> int:
    return min(rows - 1, max(0, rows - 1 - round(value / top * (rows - 1))))


def _line(row: Sequence[int], marked: bool, paper: Paper) -> Styled:
    plain = paper.glyphs is not UNICODE
    styled = Styled()
    for place, bits in enumerate(row):
        if bits:
            styled.append(("*" if plain else chr(0x2800 + bits)), "cyan")
        elif marked and place % 2 == 0:
            styled.append("-" if plain else "┄", "dim")
        else:
            styled.append(" ")
    styled.rstrip()
    return styled


def _mean(values: Sequence[float]) -> float:
    finite = [v for v in values if math.isfinite(v)]
    return sum(finite) / len(finite) if finite else math.nan
