"""What `grade status` prints: how far the exercises are, and which mistakes were made."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.reports.summary import STYLE, symbol
from grader.reports.times import ago, duration
from grader.reports.words import STATUS, counted, points
from grader.text import Text
from grader.workspace.progress import Mistake, Progress, Seen, Standing

__all__ = ["progress_bar", "status_page"]

NARROW = 60
OPEN_SHOWN = 20
BAR = 24


def status_page(
    progress: Progress, paper: Paper, now: float, changed: Collection[str] = ()
) -> list[RenderableType]:
    """The whole page; changed: exercises whose file is another than the one graded last."""
    page: list[RenderableType] = [_table(progress, paper, changed), Styled()]
    done, total = progress.passed, len(progress.standings)
    page += paper.lines(Styled.assemble((progress_bar(done, total, min(BAR, paper.measure - 10)), "green")))
    page += _sums(progress, paper)
    if changed:
        names = ", ".join(changed)
        words = Text(
            f"Changed since the last run: {names}. `grade run` or `grade watch` looks at it.",
            f"上次评分之后有改动：{names}。可用 `grade run` 或 `grade watch` 重新评分。",
        )
        page += paper.lines(paper.say(words), style="dim")
    return [*page, Styled(), *_mistakes(progress.mistakes, paper, now)]


def progress_bar(done: int, total: int, width: int) -> str:
    """``[####----] 3/7``, as rustlings draws it; full only when everything is done."""
    filled = done * width // total if total else 0
    return f"[{'#' * filled}{'-' * (width - filled)}] {done}/{total}"


def _table(progress: Progress, paper: Paper, changed: Collection[str]) -> Table:
    narrow = paper.width < NARROW
    grid = Table.grid(padding=(0, 1 if narrow else 2, 0, 0))
    grid.add_column(no_wrap=True, width=1)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    if not narrow:
        grid.add_column(no_wrap=True, justify="right")
        grid.add_column(no_wrap=True, justify="right")
        grid.add_column(no_wrap=True, justify="right")
    for standing in progress.standings:
        grid.add_row(*_row(standing, paper, narrow, standing.exercise in changed))
    return grid


def _row(standing: Standing, paper: Paper, narrow: bool, changed: bool) -> list[Styled]:
    run = standing.last
    status = run.status if run is not None else "incomplete"
    word = STATUS[status] if run is not None else Text("not graded", "未评分")
    mark = "*" if changed else ""
    cells = [
        symbol(status, paper),
        Styled(standing.exercise, "bold"),
        Styled(paper.say(word) + mark, STYLE[status] if run is not None else "dim"),
        Styled(f"{points(run.score)}/{points(run.max_score)}" if run is not None else ""),
    ]
    if narrow:
        return cells
    tries = counted(standing.attempts, "{n} attempt", "{n} attempts", "尝试 {n} 次")
    hints = counted(standing.hints, "{n} hint", "{n} hints", "提示 {n} 条")
    return [
        *cells,
        Styled(paper.say(tries) if standing.attempts else "", "dim"),
        Styled(paper.say(duration(standing.seconds)) if standing.seconds >= 1 else "", "dim"),
        Styled(paper.say(hints) if standing.hints else "", "dim"),
    ]


def _sums(progress: Progress, paper: Paper) -> list[Styled]:
    attempts = sum(s.attempts for s in progress.standings)
    hints = sum(s.hints for s in progress.standings)
    seconds = duration(sum(s.seconds for s in progress.standings))
    tries = counted(attempts, "{n} attempt", "{n} attempts", "尝试 {n} 次")
    asked = counted(hints, "{n} hint", "{n} hints", "提示 {n} 条")
    words = Text(
        f"{tries.en}, {seconds.en} at work, {asked.en}.", f"{tries.zh}，用时 {seconds.zh}，{asked.zh}。"
    )
    lines = paper.lines(paper.say(words))
    if seconds.en != "0 s":
        how = Text(
            "Time is counted between two runs; pauses of more than 15 minutes do not count.",
            "用时为相邻两次评分之间的时间；超过 15 分钟的间隔算作休息，不计入。",
        )
        lines += paper.lines(paper.say(how), style="dim")
    return lines


# -- mistakes ---------------------------------------------------------------------------------------


def _mistakes(mistakes: tuple[Mistake, ...], paper: Paper, now: float) -> list[Styled]:
    if not mistakes:
        return paper.lines(paper.say(Text("No mistake has been diagnosed yet.", "还没有诊断出错误。")))
    back = [m for m in mistakes if m.back]
    rest = [m for m in mistakes if not m.back]
    lines: list[Styled] = []
    if back:
        lines += paper.lines(
            paper.say(Text("Mistakes that came back in another exercise", "在其他练习中再次出现的错误")),
            style="bold",
        )
        for mistake in back:
            lines += _mistake(mistake, paper, now)
    if rest:
        head = Text("Mistakes so far", "至今的错误") if not back else Text("Other mistakes", "其他错误")
        lines += [*([Styled()] if back else []), *paper.lines(paper.say(head), style="bold")]
        for mistake in rest[:OPEN_SHOWN]:
            lines += _mistake(mistake, paper, now)
        if len(rest) > OPEN_SHOWN:
            more = Text(f"and {len(rest) - OPEN_SHOWN} more", f"另有 {len(rest) - OPEN_SHOWN} 项")
            lines += paper.lines(paper.say(more), "  ", style="dim")
    return lines


def _mistake(mistake: Mistake, paper: Paper, now: float) -> list[Styled]:
    sign = paper.glyphs.failed if mistake.open else paper.glyphs.passed
    title = paper.prose(paper.line(mistake.title).rstrip(".。"))
    head = Styled.assemble((f"{sign} ", "red" if mistake.open else "green"), title)
    lines = paper.lines(head, "  ", "    ")
    for seen in mistake.seen:
        lines += paper.lines(_seen(seen, seen.exercise in mistake.back, paper, now), "      ", style="dim")
    return lines


def _seen(seen: Seen, back: bool, paper: Paper, now: float) -> str:
    tries = counted(seen.attempts, "{n} attempt", "{n} attempts", "{n} 次尝试")
    when = ago(now - seen.first)
    again = Text("again in ", "再次出现于 ") if back else Text("", "")
    state = Text("still there", "仍未改正") if seen.open else Text("corrected", "已改正")
    words = Text(
        f"{again.en}{seen.exercise} (`{seen.fault}`), {when.en}: {state.en} after {tries.en}",
        f"{again.zh}{seen.exercise}（`{seen.fault}`），{when.zh}：{tries.zh}后{state.zh}",
    )
    return paper.line(words)
