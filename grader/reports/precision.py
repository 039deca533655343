"""What `grade precision` prints: a table of errors in units of rounding, and what is wrong below it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text as Styled

from grader.precision.records import COLUMNS, Cell, Precision, Row
from grader.reports.paper import Paper
from grader.text import Text

__all__ = ["SHORT", "precision_lines"]

COLUMN = 9
STYLES = {"right": "green", "open": "dim", "beyond": "yellow", "wrong": "red"}
SHORT = {
    "scaled_dot_product_attention": "attention",
    "MultiHeadAttention": "heads",
    "SinusoidalPositionalEncoding": "sinusoidal",
    "LearnedPositionalEncoding": "learned",
    "TransformerEncoder": "encoder",
}
LEGEND = Text(
    "The largest error, in roundings of the dtype: 1 is half the distance between two neighbouring numbers "
    "of the size of the largest value. Under autocast the input is float32, and the unit that of bfloat16. "
    "The model computes in float64 with the same inputs.",
    "表中是最大误差，以该 dtype 的舍入单位计：1 是最大值附近相邻两数间距的一半。autocast 一列的输入是 "
    "float32，单位取 bfloat16 的。作为对照的模型用 float64 对同样的输入计算。",
)
LEFT_OPEN = Text(
    "~ more than rounding, by something that the exercise leaves open, such as an eps",
    "~ 超出舍入，但来自题目没有规定的东西，例如 eps",
)


def precision_lines(found: Sequence[Precision], paper: Paper) -> list[Styled]:
    """All exercises, and what the numbers mean."""
    lines: list[Styled] = []
    shown = [p for p in found if p.rows]
    width = max((cell_len(_label(r, paper)) for p in shown for r in p.rows), default=0)
    for one in found:
        lines += _exercise(one, min(width, paper.width - 2 - len(COLUMNS) * (COLUMN + 1)), paper)
        lines.append(Styled())
    if shown:
        lines += paper.lines(paper.say(LEGEND), style="dim")
        if any(c.state == "open" for p in shown for r in p.rows for c in r.cells):
            lines += paper.lines(paper.say(LEFT_OPEN), style="dim")
    return lines


def _exercise(one: Precision, width: int, paper: Paper) -> list[Styled]:
    if one.note is not None:
        head = Styled.assemble((one.id, "bold"), ": ", paper.prose(paper.say(one.note)))
        return paper.lines(head, "", "  ")
    room = max(width, 12)
    names = "".join(f" {name:>{COLUMN}}" for name in COLUMNS)
    lines = [Styled.assemble((one.id + " " * max(0, room + 2 - len(one.id)), "bold"), (names, "dim"))]
    for row in one.rows:
        lines.append(_numbers(row, room, paper))
    seen: set[str] = set()
    for row in one.rows:
        for cell in row.cells:
            lines += _said(row, cell, seen, paper)
    return lines


def _numbers(row: Row, width: int, paper: Paper) -> Styled:
    label = Styled(_label(row, paper))
    label.truncate(width, overflow="ellipsis", pad=True)
    line = Styled.assemble("  ", label)
    for cell in row.cells:
        words = _shown(cell, paper)
        line.append(" " * (COLUMN + 1 - cell_len(words)))
        line.append(words, STYLES[cell.state])
    return line


def _label(row: Row, paper: Paper) -> str:
    title = paper.line(row.title)
    return title if row.target in title else f"{_short(row.target)}{_comma(paper)}{title}"


def _short(target: str) -> str:
    return SHORT.get(target, target)


def _comma(paper: Paper) -> str:
    return "，" if paper.language == "zh" else ", "


def _shown(cell: Cell, paper: Paper) -> str:
    if cell.state == "beyond":
        return f"{paper.glyphs.trouble} inf"
    if cell.units is None:
        return paper.glyphs.failed
    size = (
        f"{cell.units:.1f}"
        if cell.units < 1000
        else f"{cell.units:.0e}".replace("e+0", "e").replace("e+", "e")
    )
    sign = {"open": "~ ", "wrong": f"{paper.glyphs.failed} "}.get(cell.state, "")
    return sign + size


def _said(row: Row, cell: Cell, seen: set[str], paper: Paper) -> list[Styled]:
    """One sentence for what is wrong, once where several dtypes have it in common."""
    if cell.note is None:
        return []
    words = paper.say(cell.note)
    key = words if cell.state == "beyond" or cell.line is None else f"{cell.file}:{cell.line}"
    if key in seen and cell.column != "autocast":
        return []
    seen.add(key)
    sign = paper.glyphs.trouble if cell.state == "beyond" else paper.glyphs.failed
    sep = "：" if paper.language == "zh" else ": "
    head = f"{sign} {_label(row, paper)}{_comma(paper)}{cell.column}"
    styled = Styled.assemble(
        (head, STYLES[cell.state]), paper.in_brackets(paper.spot(cell.file, cell.line)), sep
    )
    return paper.lines(styled + paper.prose(words), "  ", "    ")
