"""A small map of block characters: which forbidden cells hold something, and how much."""

from __future__ import annotations

import math

from rich.cells import cell_len
from rich.text import Text as Styled

from grader.marking.picture import Picture
from grader.reports.numbers import short
from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["leak_map"]

TALLEST = 6  # rows of a map
MARGIN = "    "
OFF = 1e-3  # by how much the shares of a row may miss one


def leak_map(picture: Picture | None, paper: Paper) -> list[Styled]:
    """The map under its title, with a line that says what its signs mean; nothing without a picture.

    Each cell is a shade for its value and, where it is forbidden and not empty, a cross.  Where nothing
    forbidden is seen, the sum of each row says what is wrong.
    """
    if picture is None or picture.yours is None:
        return []
    leaks = picture.leaking()
    lines = [Styled(), *paper.lines(Styled(paper.say(_title(picture)), "bold"), "  ")]
    indent = max(map(cell_len, picture.rows))
    head = " ".join(f"{label:<2}"[: max(2, len(label))] for label in picture.columns)
    lines.append(Styled(f"{MARGIN}{' ' * indent}  {head.rstrip()}", "dim"))
    for r, row in enumerate(picture.yours[:TALLEST]):
        line = Styled.assemble(MARGIN, (f"{picture.rows[r]:>{indent}}", "dim"), "  ")
        for c, value in enumerate(row):
            leaking = (r, c) in leaks
            sign = _shade(value, picture, paper) + (paper.glyphs.failed if leaking else " ")
            line.append(sign.ljust(max(2, len(picture.columns[c]))), "red" if leaking else None)
            line.append(" ")
        if not leaks:
            line.append(f" = {short(sum(row))}", "" if abs(sum(row) - 1) <= OFF else "red")
        line.rstrip()
        lines.append(line)
    return lines + paper.lines(paper.say(_key(picture, paper)), MARGIN, style="dim")


def _title(picture: Picture) -> Text:
    """What the map shows: ``Weights with a causal mask, head 1 (rows: query, columns: key)``."""
    what = picture.scene
    if picture.part is not None:
        what += Text(", ", "，") + picture.part
    rows, columns = picture.row_axis, picture.column_axis
    return what + Text(f" (row: {rows.en}, column: {columns.en})", f"（行：{rows.zh}，列：{columns.zh}）")


def _shade(value: float, picture: Picture, paper: Paper) -> str:
    """The lightest shade is for nothing alone."""
    shades = paper.glyphs.shades
    if not math.isfinite(value):
        return "?"
    share = max(0.0, min(1.0, value / picture.top))
    if not picture.is_something(share * picture.top):
        return shades[0]
    return shades[max(1, min(len(shades) - 1, math.ceil(share * (len(shades) - 1))))]


def _key(picture: Picture, paper: Paper) -> Text:
    leaks = picture.leaking()
    yours = picture.yours or ()
    cross = paper.glyphs.failed
    if not leaks:
        return Text("= the sum of the row, which should be 1", "= 该行之和，应为 1")
    finite = [abs(yours[r][c]) for r, c in leaks if math.isfinite(yours[r][c])]
    most = (
        Text("NaN", "NaN")
        if not finite
        else Text(f"up to {short(max(finite))}", f"最大 {short(max(finite))}")
    )
    whole = {
        "weights": Text(
            f"{cross} is forbidden and yet has weight: {most.en}, where 0 should be",
            f"{cross} 处被禁止却有权重：{most.zh}，应为 0",
        ),
        "keep": Text(f"{cross} is allowed and should not be", f"{cross} 处不应允许却被允许"),
    }
    return whole.get(
        picture.kind,
        Text(
            f"{cross} should have no influence and yet has: {most.en}",
            f"{cross} 处不应有影响却有：{most.zh}",
        ),
    )
