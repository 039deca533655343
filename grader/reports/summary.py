"""The head of a report, the table of exercises, and the closing lines."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text as Styled

from grader.marking.records import ExerciseResult, Report
from grader.reports.cleaning import clean_line
from grader.reports.paper import Paper
from grader.reports.words import STATUS, points
from grader.text import Text

__all__ = ["STYLE", "bar", "closing", "head", "symbol", "table"]

STYLE = {
    "passed": "green",
    "failed": "red",
    "incomplete": "yellow",
    "error": "red",
    "stopped": "magenta",
    "blocked": "dim",
}
NARROW, WIDE = 60, 100


def head(report: Report, paper: Paper) -> list[Styled]:
    """What was graded, and with what."""
    name = clean_line(report.submission, 200)
    if name in (".", "") and paper.folder is not None:
        name = clean_line(paper.folder.name, 200) or "."
    lines = paper.lines(Styled(name, "bold"))
    if paper.width >= NARROW:
        tools = Text(
            f"grade {report.kit}, torch {report.torch}, Python {report.python}",
            f"grade {report.kit}，torch {report.torch}，Python {report.python}",
        )
        if report.layers:  # otherwise nothing was run
            tools += Text(f", isolation: {report.isolation}", f"，隔离：{report.isolation}")
        lines += paper.lines(Styled(paper.say(tools), "dim"))
    return lines


def table(report: Report, paper: Paper) -> Table:
    """One row for each exercise: symbol, name, status, bar, points, seconds."""
    narrow, wide = paper.width < NARROW, paper.width >= WIDE
    grid = Table.grid(padding=(0, 1 if narrow else 2, 0, 0))
    grid.add_column(no_wrap=True, width=1)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    if wide:
        grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(no_wrap=True)
    if not narrow:
        grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    if not narrow:
        grid.add_column(no_wrap=True, justify="right")
    for result in report.exercises:
        style = STYLE.get(result.status, "")
        cells = [symbol(result.status, paper), Styled(result.id, "bold")]
        if wide:
            cells.append(Styled(paper.line(result.title)))
        word = STATUS.get(result.status)
        cells.append(Styled(paper.say(word) if word else result.status, style))
        if not narrow:
            cells.append(bar(result, paper, 20 if wide else 12))
        cells.append(Styled(f"{points(result.score)}/{points(result.max_score)}"))
        if not narrow:
            cells.append(Styled(f"{result.seconds:.2f} s" if _ran(result) else "", "dim"))
        grid.add_row(*cells)
    return grid


def symbol(status: str, paper: Paper) -> Styled:
    """The sign of a status, in its colour."""
    signs = paper.glyphs
    found = {
        "passed": signs.passed,
        "failed": signs.failed,
        "incomplete": signs.open,
        "blocked": signs.blocked,
    }
    return Styled(found.get(status, signs.trouble), STYLE.get(status, ""))


def bar(result: ExerciseResult, paper: Paper, width: int) -> Styled:
    """The share of points; full only when none is missing, empty only when there is none."""
    share = result.score / result.max_score if result.max_score else 0.0
    filled = round(share * width)
    if 0 < share < 1:
        filled = min(max(filled, 1), width - 1)
    signs = paper.glyphs
    return Styled.assemble(
        (signs.bar * filled, STYLE.get(result.status, "")), (signs.rest * (width - filled), "dim")
    )


def closing(report: Report, paper: Paper) -> list[Styled]:
    """The score, and what to do next."""
    done, total = sum(e.passed for e in report.exercises), len(report.exercises)
    score, most = points(report.score), points(report.max_score)
    if total == 1:
        counted = Text(f"Score: {score} of {most} points.", f"得分：{score} / {most}。")
    else:
        counted = Text(
            f"Score: {score} of {most} points, {done} of {total} exercises passed.",
            f"得分：{score} / {most}，{total} 个练习中通过 {done} 个。",
        )
    lines = paper.lines(Styled(paper.say(counted), "bold"))
    return lines + paper.lines(paper.say(_next(report, paper)))


def _next(report: Report, paper: Paper) -> Text:
    waiting = [e for e in report.exercises if not e.passed]
    if not waiting:
        if report.score >= report.max_score:
            return Text("Everything is right.", "全部正确。")
        short = [e.id for e in report.exercises if e.score < e.max_score]
        return Text(
            f"Passed. The points still missing are edge cases: {', '.join(short)}.",
            f"已通过。剩下的分数都在边界情况：{'、'.join(short)}。",
        )
    # what is being worked on comes before what is not begun; a blocked exercise can only wait
    first = min(waiting, key=lambda e: {"incomplete": 1, "blocked": 2}.get(e.status, 0))
    if first.status == "blocked":
        return Text("Next: write the earlier exercise that this one needs.", "下一步：先完成它所依赖的练习。")
    place = paper.spot(*_place(first)).plain or f"{first.id}.py"
    if place.startswith("In["):  # in a running notebook
        return Text(
            f"Next: change {place}, run that cell, then this one again.",
            f"下一步：修改 {place}，运行那个单元，然后再次运行本单元。",
        )
    one_file = report.submission.endswith((".py", ".ipynb"))
    target = clean_line(report.submission, 200) if one_file else first.id
    if " " in target:
        target = f'"{target}"'
    if first.status == "incomplete":
        return Text(
            f"Next: write {place}, then run `grade run {target}`.",
            f"下一步：完成 {place}，然后运行 `grade run {target}`。",
        )
    return Text(
        f"Next: change {place}, then run `grade run {target}` again.",
        f"下一步：修改 {place}，然后再次运行 `grade run {target}`。",
    )


def _place(result: ExerciseResult) -> tuple[str | None, int | None]:
    for diagnosis in result.diagnoses:
        for fault in diagnosis.faults:
            if fault.file is not None:
                return fault.file, fault.line
    return None, None


def _ran(result: ExerciseResult) -> bool:
    return any(c.outcome != "skipped" for c in result.checks)
