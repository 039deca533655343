"""The page of `grade similar`: who stands together, and each pair side by side."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from grader.course.similar.records import Found, Side
from grader.reports.cleaning import clean
from grader.reports.html.environment import page_environment

__all__ = ["MOST_PAIRS", "render_similar_page"]

MOST_PAIRS = 100  # side by side; the list and the JSON hold all of them
MOST_LISTED = 1000
LONGEST = 300


class _Row(NamedTuple):
    """kind: ``telling``, ``ordinary`` or empty."""

    number: int
    text: str
    kind: str


def render_similar_page(found: Found, language: str) -> str:
    """The whole page as text, complete in itself."""
    environment = page_environment(language, Path(__file__).parent)
    environment.filters["percent"] = lambda value: f"{100 * value:.0f}%"
    listed = found.pairs[:MOST_LISTED]
    return environment.get_template("similar.html.j2").render(
        found=found,
        listed=listed,
        shown=[(number, pair) for number, pair in enumerate(listed, 1) if pair.sides],
        rows=_rows,
    )


def _rows(side: Side) -> list[_Row]:
    kinds: dict[int, str] = {}
    for kind, spans in (("ordinary", side.ordinary), ("telling", side.telling)):
        for first, last in spans:
            kinds |= dict.fromkeys(range(first, last + 1), kind)
    lines = clean(side.work.text).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return [_Row(n, line[:LONGEST] or " ", kinds.get(n, "")) for n, line in enumerate(lines, 1)]
