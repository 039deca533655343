"""An explanation on the page: what the mistake is, and the demonstration in tables, bars and blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text as Styled

from grader.explaining.records import Bars, Cell, Demonstration, Grid, Grids, Part, Row, Table
from grader.explaining.run import Explanation
from grader.reports.cleaning import clean_line
from grader.reports.numbers import exact
from grader.reports.output import UNICODE
from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["demonstrated", "listed", "overview", "render_explanation"]

GAP = 2
INDENT = "  "
EIGHTHS = " ▏▎▍▌▋▊▉█"
SHADES = "·░▒▓█"
PLAIN = ".:-=#"
LONGEST_BAR = 40


def render_explanation(found: Explanation, paper: Paper) -> list[Styled]:
    """What a mistake is, why it is wrong, where it can be made, and the demonstration."""
    head = Styled.assemble((paper.line(found.title), "bold"), "  ", (found.id, "dim"))
    lines = [*paper.lines(head, "", "  "), Styled()]
    for paragraph in paper.say(found.explanation).split("\n\n"):
        lines += paper.lines(" ".join(paragraph.split()))
    if found.demonstration is not None:
        lines += [Styled(), *demonstrated(found.demonstration, paper)]
    elif found.reason is not None:
        lines += [Styled(), *paper.lines(paper.say(found.reason), style="dim")]
    if found.exercises:
        names = Text.join([Text.same(name) for name in found.exercises])
        words = Text(f"It can be made in: {names.en}.", f"可能出现在：{names.zh}。")
        lines += [Styled(), *paper.lines(Styled(paper.say(words), "dim"))]
    return lines


def overview(exercises: Mapping[str, Sequence[str]], topics: Sequence[str], paper: Paper) -> list[Styled]:
    """The ids of all mistakes, by exercise."""
    lines: list[Styled] = []
    for name, faults in exercises.items():
        lines += [Styled.assemble((name, "bold"), (f"  {len(faults)}", "dim"))]
        lines += [*_columns(faults, paper), Styled()]
    about = paper.say(Text("Topics", "专题"))
    lines += [Styled(about, "bold"), *_columns(topics, paper), Styled()]
    words = Text(
        "`grade explain missing-scale` explains one; `grade explain attention` lists those of an exercise, "
        "with what they are.",
        "`grade explain missing-scale` 讲解其中一个；`grade explain attention` 列出某个练习的错误及其说明。",
    )
    return [*lines, *paper.lines(paper.say(words))]


def listed(exercise: str, faults: Mapping[str, Text], paper: Paper) -> list[Styled]:
    """The mistakes of one exercise, with what they are."""
    lines = [Styled.assemble((exercise, "bold"), (f"  {len(faults)}", "dim"))]
    width = max(map(len, faults), default=0)
    beside = width + 36 <= paper.width
    for name, title in faults.items():
        words = paper.line(title)
        if beside:
            head = INDENT + name.ljust(width) + INDENT
            lines += paper.lines(Styled(words, "dim"), head, " " * len(head))
        else:
            lines += [*paper.lines(name, INDENT), *paper.lines(Styled(words, "dim"), INDENT * 2)]
    return lines


def _columns(words: Sequence[str], paper: Paper) -> list[Styled]:
    """Words in columns, as many as fit."""
    width = max(map(len, words), default=1) + GAP
    number = max(1, (paper.measure - len(INDENT) + GAP) // width)
    rows = -(-len(words) // number)
    return [
        Styled(INDENT + "".join(w.ljust(width) for w in words[row::rows]).rstrip()) for row in range(rows)
    ]


def demonstrated(demonstration: Demonstration, paper: Paper) -> list[Styled]:
    """The whole demonstration, from top to bottom."""
    lines = paper.lines(paper.say(demonstration.lead))
    for part in demonstration.parts:
        lines += [Styled(), *_part(part, paper)]
    return [*lines, Styled(), *paper.lines(paper.say(demonstration.lesson))]


def _part(part: Part, paper: Paper) -> list[Styled]:
    caption = paper.lines(Styled(paper.say(part.caption), "bold")) if part.caption.en else []
    if isinstance(part, Table):
        return [*caption, *_table(part, paper)]
    if isinstance(part, Bars):
        return [*caption, *_bars(part, paper)]
    return [*caption, *_grids(part, paper)]


# -- tables -----------------------------------------------------------------------------------------


def _table(part: Table, paper: Paper) -> Iterator[Styled]:
    """In columns where they fit, else row by row."""
    head = [_cell(c, paper) for c in part.head]
    rows = [[_cell(c, paper) for c in r.cells] for r in part.rows]
    widths = [max(cell_len(cell) for cell in column) for column in zip_longest(head, *rows, fillvalue="")]
    signed = any(r.right is not None for r in part.rows)
    total = sum(widths) + GAP * (len(widths) - 1) + len(INDENT) + 2 * signed
    if total > paper.width:
        yield from _stacked(head, rows, part.rows, paper, signed)
        return
    if any(head):
        yield Styled.assemble(INDENT + "  " * signed, (_aligned(head, widths).rstrip(), "dim"))
    for cells, record in zip(rows, part.rows):
        yield Styled.assemble(INDENT, _sign(record, paper, signed), _aligned(cells, widths).rstrip())


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The first column to the left, the others to the right where they are numbers."""
    parts = []
    for place, (cell, width) in enumerate(zip(cells, widths)):
        space = " " * (width - cell_len(cell))
        parts.append(cell + space if place == 0 else space + cell)
    return (" " * GAP).join(parts)


def _stacked(
    head: Sequence[str], rows: Sequence[Sequence[str]], records: Sequence[Row], paper: Paper, signed: bool
) -> Iterator[Styled]:
    for cells, record in zip(rows, records):
        first = Styled.assemble(_sign(record, paper, signed), (cells[0], "bold"))
        yield from paper.lines(first, INDENT, INDENT * 2)
        for name, cell in zip(head[1:], cells[1:]):
            words = Styled.assemble((f"{name}  " if name else "", "dim"), cell)
            yield from paper.lines(words, INDENT * 3, INDENT * 4)


def _sign(record: Row, paper: Paper, signed: bool) -> Styled:
    if not signed:
        return Styled()
    if record.right is None:
        return Styled("  ")
    return Styled.assemble(
        (paper.glyphs.passed, "green") if record.right else (paper.glyphs.failed, "red"), " "
    )


def _cell(cell: Cell, paper: Paper) -> str:
    if isinstance(cell, Text):
        return paper.line(cell)
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return clean_line(str(cell))
    return exact(cell) if isinstance(cell, float) else f"{cell:,}".replace(",", " ")


# -- bars and blocks --------------------------------------------------------------------------------


def _bars(part: Bars, paper: Paper) -> Iterator[Styled]:
    labels = [_cell(b.label, paper) for b in part.bars]
    numbers = [exact(b.value) for b in part.bars]
    width, digits = max(map(cell_len, labels)), max(map(len, numbers))
    finite = [abs(b.value) for b in part.bars if math.isfinite(b.value)]
    top = part.top or max(finite, default=1.0) or 1.0
    room = max(4, min(LONGEST_BAR, paper.width - width - digits - len(INDENT) - 2 * GAP))
    for bar, label, number in zip(part.bars, labels, numbers):
        style = {True: "green", False: "red", None: "cyan"}[bar.right]
        drawn = _drawn(bar.value / top * room, room, paper)
        yield Styled.assemble(
            INDENT + label + " " * (width - cell_len(label) + GAP),
            " " * (digits - len(number)) + number + " " * GAP,
            (drawn, style),
        )


def _drawn(length: float, room: int, paper: Paper) -> str:
    """A bar in eighths of a cell."""
    if not math.isfinite(length):
        return paper.glyphs.bar * room if length > 0 else ""
    length = min(max(length, 0.0), float(room))
    if paper.glyphs is not UNICODE:
        return paper.glyphs.bar * round(length)
    whole, rest = int(length), int((length % 1) * 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "") or "▏"


def _grids(part: Grids, paper: Paper) -> Iterator[Styled]:
    """As many side by side as fit."""
    drawn = [_grid(g, paper) for g in part.grids]
    waiting = list(drawn)
    first = True
    while waiting:
        taken: list[list[Styled]] = []
        used = len(INDENT)
        while waiting and (not taken or used + _width(waiting[0]) <= paper.width):
            used += _width(waiting[0]) + GAP + 1
            taken.append(waiting.pop(0))
        if not first:
            yield Styled()
        first = False
        for line in range(max(map(len, taken))):
            whole = Styled(INDENT)
            for block in taken:
                piece = block[line] if line < len(block) else Styled()
                whole.append_text(piece)
                whole.append(" " * (_width(block) - piece.cell_len + GAP + 1))
            whole.rstrip()
            yield whole


def _width(block: Sequence[Styled]) -> int:
    return max(line.cell_len for line in block)


def _grid(grid: Grid, paper: Paper) -> list[Styled]:
    style = {True: "green", False: "red", None: ""}[grid.right]
    sign = {True: paper.glyphs.passed + " ", False: paper.glyphs.failed + " ", None: ""}[grid.right]
    lines = [Styled.assemble((sign + paper.line(grid.title), style))]
    for values in grid.rows:
        lines.append(Styled("".join(_block(v, paper) for v in values)))
    return lines


def _block(value: float, paper: Paper) -> str:
    """Two cells, so that a square matrix looks square."""
    if math.isnan(value):
        return "??"
    shades = SHADES if paper.glyphs is UNICODE else PLAIN
    place = min(len(shades) - 1, max(0, math.ceil(value * (len(shades) - 1) - 1e-9)))
    return shades[place] * 2
