"""The learner's lines around the places that a report names."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from grader.reports.cleaning import clean

__all__ = ["SourceLine", "around"]

CONTEXT = 3
LONGEST = 300


class SourceLine(NamedTuple):
    """number: empty where lines are left out."""

    number: str
    text: str
    marked: bool


def around(source: str, places: Collection[int], context: int = CONTEXT) -> list[SourceLine]:
    """The lines of `places` (1-based), marked, with those about them; nothing where none exists."""
    lines = source.splitlines()
    wanted = sorted({p for p in places if 1 <= p <= len(lines)})
    shown = sorted({n for p in wanted for n in range(max(1, p - context), min(len(lines), p + context) + 1)})
    found: list[SourceLine] = []
    before = None
    for number in shown:
        if before is not None and number > before + 1:
            found.append(SourceLine("", "⋯", False))
        text = clean(lines[number - 1])
        found.append(SourceLine(str(number), text[:LONGEST] or " ", number in wanted))
        before = number
    return found
