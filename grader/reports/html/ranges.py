"""The ranges of intermediate values as bars on a common scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.pictures.records import RangeLine
from grader.reports.numbers import exact

__all__ = ["RangeBar", "bars"]

NARROWEST = 0.8  # per cent of the scale: a single value is seen as well


@dataclass(frozen=True)
class RangeBar:
    """left, width: of the bar, in per cent of the scale, whose middle is zero; words: the range."""

    line: RangeLine
    left: str
    width: str
    words: str


def bars(lines: Sequence[RangeLine]) -> list[RangeBar]:
    """A bar for each line.  The scale grows with the logarithm, so that weights are seen beside scores."""
    ends = [abs(v) for x in lines for v in (x.low, x.high) if v is not None and math.isfinite(v)]
    top = math.log1p(max(ends, default=1.0)) or 1.0
    return [_bar(line, top) for line in lines]


def _bar(line: RangeLine, top: float) -> RangeBar:
    if line.low is None or line.high is None:
        return RangeBar(line, "0", "0", "")
    left, right = _place(line.low, top), _place(line.high, top)
    missing = max(0.0, NARROWEST - (right - left))
    left = max(0.0, left - missing / 2)
    width = max(NARROWEST, right - left)
    words = exact(line.low) if line.low == line.high else f"{exact(line.low)} … {exact(line.high)}"
    return RangeBar(line, f"{left:.1f}", f"{min(width, 100 - left):.1f}", words)


def _place(value: float, top: float) -> float:
    """Where a value stands on the scale, from 0 to 100; what is infinite stands at its end."""
    if math.isinf(value):
        return 100.0 if value > 0 else 0.0
    if math.isnan(value):
        return 50.0
    return 50 + 50 * math.copysign(min(1.0, math.log1p(abs(value)) / top), value)
