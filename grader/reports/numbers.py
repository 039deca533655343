"""Numbers as a reader likes them."""

from __future__ import annotations

import math

__all__ = ["exact", "short"]


def exact(value: float) -> str:
    """Four digits: ``0.2312``, ``-1.5e-08``, ``NaN``, ``-inf``."""
    return _finite(value, 4)


def short(value: float) -> str:
    """Two digits, for a narrow place: ``0.23``, ``12``, ``-1e-08``."""
    return _finite(value, 2)


def _finite(value: float, digits: int) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "0"
    if digits <= abs(math.log10(abs(value))) < 5 and abs(value) > 1:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"
