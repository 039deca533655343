"""Breaks lines of mixed Chinese and English as a typesetter would.

Rich breaks at spaces only, which tears a Chinese paragraph apart at the few spaces it has.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text as Styled

__all__ = ["break_points", "wrap"]

NEVER_FIRST = frozenset("，。；：！？、）】》」』”’…％,.;:!?)]}%")
NEVER_LAST = frozenset("（【《「『“‘([{")


def break_points(words: str, width: int) -> list[int]:
    """The offsets at which `words` (one paragraph) goes on to a new line."""
    points: list[int] = []
    start = used = 0
    candidate = 0
    index = 0
    while index < len(words):
        character = words[index]
        if index > start and _may_break(words[index - 1], character) and not _in_index(words, index):
            candidate = index
        cells = cell_len(character)
        if used + cells > width and character != " " and index > start:
            start = candidate if candidate > start else index
            points.append(start)
            used = cell_len(words[start:index])
        used += cells
        index += 1
    return points


def wrap(words: Styled, width: int, first: str = "", rest: str = "") -> list[Styled]:
    """The words as lines of at most `width` cells, the first and the later ones indented."""
    room = max(8, width - max(cell_len(first), cell_len(rest)))
    lines: list[Styled] = []
    for paragraph in words.split("\n", allow_blank=True):
        if not paragraph.plain.strip():
            lines.append(Styled())
            continue
        for part in paragraph.divide(break_points(paragraph.plain, room)):
            part.rstrip()
            if lines and part.plain.startswith(" "):
                part = part[len(part.plain) - len(part.plain.lstrip()) :]
            lines.append(Styled.assemble(rest if lines else first, part))
    return lines


def _in_index(words: str, index: int) -> bool:
    """Between the numbers of ``weights[0, 2, 1]`` or ``(4, -1)``, which stay together."""
    return (
        index > 2 and words[index - 2] == "," and words[index - 3].isdigit() and words[index] in "-0123456789"
    )


def _may_break(before: str, after: str) -> bool:
    if after == " " or after in NEVER_FIRST or before in NEVER_LAST:
        return False
    return before == " " or cell_len(before) == 2 or cell_len(after) == 2
