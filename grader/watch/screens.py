"""Where the watch shows itself: a terminal that is drawn anew, or a pipe that gets reports as they come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text as Styled

from grader.reports.paper import Paper
from grader.reports.terminal import print_lines
from grader.reports.watch import also_line, picture, waiting_line
from grader.text import Text
from grader.watch.view import View

__all__ = ["PipeScreen", "TerminalScreen"]


class _Screen:
    def __init__(self, console: Console, language: str, folder: Path) -> None:
        self.console = console
        self.language = language
        self.folder = folder.absolute()

    def paper(self) -> Paper:
        """As wide as the terminal is now."""
        return Paper.on(self.console, self.language, self.folder)


class TerminalScreen(_Screen):
    """One picture at a time.

    explain, trace: print a page; wait: returns when a key is pressed (or something is saved).
    """

    def __init__(
        self,
        console: Console,
        language: str,
        folder: Path,
        *,
        keys: bool,
        explain: Callable[[str, str], None],
        trace: Callable[[str], None],
        wait: Callable[[], None],
    ) -> None:
        super().__init__(console, language, folder)
        self.keys = keys
        self._explain, self._trace, self._wait = explain, trace, wait
        self._busy = False

    def show(self, view: View) -> None:
        """Draws the picture in one go, so that nothing flickers."""
        self._busy = False
        lines = picture(view, self.paper(), height=self.console.height, keys=self.keys)
        with self.console:
            self.console.clear()
            print_lines([*lines], self.console)

    def busy(self, name: str) -> None:
        """A word below the picture, which the next picture takes away."""
        if not self._busy:
            words = Text(f"grading {name} ...", f"正在评分 {name} ……").in_(self.language)
            self.console.print(Styled(words, "dim"), end="\r")
        self._busy = True

    def explain(self, fault: str, name: str) -> None:
        self._page(lambda: self._explain(fault, name))

    def trace(self, name: str) -> None:
        self._page(lambda: self._trace(name))

    def _page(self, print_page: Callable[[], None]) -> None:
        self.console.clear()
        print_page()
        print_lines([*waiting_line(self.paper())], self.console)
        self._wait()


class PipeScreen(_Screen):
    """Every verdict once, one after the other."""

    def __init__(self, console: Console, language: str, folder: Path) -> None:
        super().__init__(console, language, folder)
        self._last: View | None = None

    def show(self, view: View) -> None:
        last, self._last = self._last, view
        if last is not None and last.verdict == view.verdict and last.message == view.message:
            for name, status in view.also[len(last.also) :]:
                print_lines([*also_line(name, status, self.paper())], self.console)
        elif view.result is not None or view.celebrated is not None or view.still or view.done:
            if last is not None and last.result is None and view.result is not None and _praise(last, view):
                view = replace(view, celebrated=None, still=None)  # it was said with the verdict before
            print_lines([*picture(view, self.paper(), keys=False), Styled()], self.console)
        self.console.file.flush()

    def busy(self, name: str) -> None:
        """Nothing: a pipe gets what is known."""

    def explain(self, fault: str, name: str) -> None:
        """Nothing: without keys nobody asks."""

    def trace(self, name: str) -> None:
        """Nothing, either."""


def _praise(one: View, other: View) -> bool:
    """Whether both pictures praise the same."""
    return one.celebrated is other.celebrated and one.still == other.still
