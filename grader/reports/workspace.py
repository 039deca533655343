"""What `grade init` and `grade list` print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text as Styled

from grader.reports.cleaning import clean_line
from grader.reports.words import points
from grader.reports.wrapping import wrap
from grader.text import Text

__all__ = ["Copied", "Row", "catalogue", "started", "started_notebook"]

NARROW, WIDE = 60, 110


@dataclass(frozen=True)
class Copied:
    """One skeleton: created, or kept as it was."""

    name: str
    created: bool


@dataclass(frozen=True)
class Row:
    """One exercise in the list; state: absent, empty, unreadable, to-do, begun, written."""

    id: str
    title: Text
    max_score: float
    requires: tuple[str, ...]
    state: str
    line: int | None = None


STATES = {
    "absent": (Text("not there", "没有文件"), "dim"),
    "empty": (Text("empty", "空文件"), "yellow"),
    "unreadable": (Text("cannot be read", "无法读取"), "red"),
    "to-do": (Text("to do", "待完成"), "yellow"),
    "begun": (Text("begun", "部分完成"), "yellow"),
    "written": (Text("written", "已写"), "green"),
}


def started(copied: Sequence[Copied], folder: Path | None, language: str) -> list[Styled]:
    """What became of each file, and the next step."""
    lines = [_became(file, language) for file in copied]
    first = copied[0].name if copied else "attention.py"
    stem = first.removesuffix(".py")
    where = "" if folder is None else f" --path {_quoted(clean_line(str(folder), 400))}"
    place = first if folder is None else clean_line(str(folder / first), 400)
    words = Text(
        f"Next: write {place}, then run `grade run {stem}{where}`.",
        f"下一步：完成 {place}，然后运行 `grade run {stem}{where}`。",
    )
    return [*lines, Styled(), Styled(words.in_(language), "bold")]


def started_notebook(file: Copied, folder: Path | None, language: str) -> list[Styled]:
    """The same for the notebook that holds all exercises."""
    place = file.name if folder is None else clean_line(str(folder / file.name), 400)
    words = Text(
        f"Next: open {place} in JupyterLab, VS Code or Colab; the cell below each exercise grades it, and so "
        f"does `grade run {_quoted(place)}`.",
        f"下一步：在 JupyterLab、VS Code 或 Colab 中打开 {place}；每个练习下方的单元会评分，"
        f"`grade run {_quoted(place)}` 也可以。",
    )
    return [_became(file, language), Styled(), Styled(words.in_(language), "bold")]


def _became(file: Copied, language: str) -> Styled:
    made, kept = Text("created", "已建立"), Text("kept   ", "保留  ")
    note = "" if file.created else Text("  (was there; not touched)", "（已存在，未改动）").in_(language)
    word = (made if file.created else kept).in_(language)
    return Styled.assemble((word, "green" if file.created else "dim"), f"  {file.name}", (note, "dim"))


def catalogue(rows: Sequence[Row], language: str, width: int) -> list[RenderableType]:
    """The exercises as a table, and their points in all."""
    wide, narrow = width >= WIDE, width < NARROW
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    if wide:
        grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(no_wrap=True)
    if not narrow:
        grid.add_column()
    for number, row in enumerate(rows, 1):
        word, style = STATES[row.state]
        line = f" (:{row.line})" if row.line is not None and not narrow else ""
        cells: list[RenderableType] = [str(number), Styled(row.id, "bold")]
        if wide:
            cells.append(Styled(row.title.in_(language)))
        cells += [Styled(points(row.max_score)), Styled(word.in_(language) + line, style)]
        if not narrow:
            needs = ", ".join(row.requires)
            needs = Text(f"builds on {needs}", f"基于 {needs}").in_(language) if needs else ""
            cells.append(Styled(needs, "dim"))
        grid.add_row(*cells)
    total = points(sum(r.max_score for r in rows))
    words = Text(
        f"{len(rows)} exercises, {total} points. Next: `grade run`, or `grade init` where a file is missing.",
        f"共 {len(rows)} 个练习，{total} 分。下一步：`grade run`；缺少文件时用 `grade init`。",
    )
    return [grid, Styled(), *wrap(Styled(words.in_(language)), width, "", "")]


def _quoted(words: str) -> str:
    return f'"{words}"' if " " in words else words
