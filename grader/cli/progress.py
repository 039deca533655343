"""How far a batch is: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.reports.cleaning import clean_line
from grader.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task, TaskID
    from rich.text import Text as Styled

__all__ = ["BatchProgress", "batch_progress", "pace"]

STAGES = {
    "reading": Text("reading", "正在读取"),
    "grading": Text("grading", "正在评分"),
    "comparing": Text("comparing", "正在比较"),
    "writing": Text("writing", "正在写出"),
}
LINE_SECONDS = 15.0


@contextmanager
def batch_progress(language: str) -> Iterator[BatchProgress]:
    """Progress on standard error; nothing of it stays on a terminal."""
    if not sys.stderr.isatty():
        progress = BatchProgress(language, None)
        yield progress
        progress.end()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from grader.reports.output import make_console

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _pace_column(language))
    # without a thread of its own: grader processes are forked while it is shown
    console = make_console(sys.stderr)
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as shown:
        yield BatchProgress(language, shown)


@dataclass
class BatchProgress:
    """done: steps of this stage; told: how many of them the last line has said, -1 before the first."""

    language: str
    shown: Progress | None
    done: int = 0
    steps: int = 0
    stage: str = ""
    began: float = 0.0
    said: float = 0.0
    task: TaskID | None = field(default=None)
    told: int = -1

    def begin(self, stage: str, steps: int) -> None:
        self.end()
        self.stage, self.steps, self.done, self.told = stage, steps, 0, -1
        self.began = self.said = time.monotonic()
        if self.shown is not None:
            if self.task is not None:
                self.shown.remove_task(self.task)
            self.task = self.shown.add_task(STAGES[stage].in_(self.language), total=steps)
            self.shown.refresh()

    def step(self, count: int = 1) -> None:
        self.done += count
        if self.shown is not None and self.task is not None:
            self.shown.update(self.task, completed=self.done)
        self.tick()

    def tick(self) -> None:
        """Shows the clock go on, too."""
        now = time.monotonic()
        if now - self.said < (LINE_SECONDS if self.shown is None else 0.1):
            return
        self.said = now
        if self.shown is not None:
            self.shown.refresh()
        else:
            self._line(pace(self.done, self.steps, now - self.began, self.language))

    def end(self) -> None:
        """A stage is over: where lines have said how far it is, the last of them says that it is done."""
        if self.shown is None and 0 <= self.told < self.steps:
            self.done = self.steps
            self._line("")

    def say(self, text: Text) -> None:
        """A line that stays, above the bar if there is one."""
        words = clean_line(text.in_(self.language))
        if self.shown is not None:
            self.shown.console.print(words, markup=False, highlight=False, soft_wrap=True)
        else:
            print(words, file=sys.stderr, flush=True)  # noqa: T201

    def _line(self, how: str) -> None:
        self.told = self.done
        words = STAGES[self.stage].in_(self.language)
        print(f"{words} {self.done}/{self.steps}  {how}".rstrip(), file=sys.stderr, flush=True)  # noqa: T201


def pace(done: int, steps: int, seconds: float, language: str) -> str:
    """``5.2/s, 3:05 left``; nothing while it is not known."""
    if not done or seconds <= 0:
        return ""
    rate = done / seconds
    left = round((steps - done) / rate)
    hours, rest = divmod(left, 3600)
    clock = f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
    speed = f"{rate:.1f}" if rate >= 1 else f"{rate:.2f}"
    return Text(f"{speed}/s, {clock} left", f"每秒 {speed} 份，还需 {clock}").in_(language)


def _pace_column(language: str) -> ProgressColumn:
    from rich.progress import ProgressColumn
    from rich.text import Text as Styled

    class Pace(ProgressColumn):
        def render(self, task: Task) -> Styled:
            return Styled(pace(int(task.completed), int(task.total or 0), task.elapsed or 0.0, language))

    return Pace()
