"""Numbers in the sentences about learning."""

from __future__ import annotations

__all__ = [
    "num",
    "share",
]


def num(value: float) -> str:
    """Three digits; a loss of nearly nothing is ``0.0002``, not ``2e-04``."""
    if value != value or abs(value) == float("inf"):
        return "NaN" if value != value else "inf" if value > 0 else "-inf"
    return f"{value:.4f}".rstrip("0").rstrip(".") if 1e-4 <= abs(value) < 0.1 else f"{value:.3g}"


def share(value: float) -> str:
    return f"{100 * value:.0f}%"
