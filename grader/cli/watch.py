"""`grade watch`: grades on each save, with torch kept loaded."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.language import Page, language_option, open_page
from grader.cli.limits import limit_options
from grader.cli.warm import WarmSession
from grader.errors import GraderError, SubmissionError
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.records import ExerciseResult
    from grader.submission.launcher import Launcher
    from grader.submission.source import Submission
    from grader.watch.desk import Desk
    from grader.watch.saves import Saves
    from grader.watch.screens import PipeScreen, TerminalScreen
    from grader.watch.terminal import Terminal

__all__ = ["watch", "watch_folder"]

TICK = 1.0  # seconds without anything, after which to see whether the folder is still there
SETTLE = 0.15  # seconds for the rest of a save
# who waits before the screen waits for an endless loop, too; ordinary code needs a fraction of a second
LIMITS = {"call": 2.0, "total": 6.0}


@click.command(short_help="Grade on each save; the way to work.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option("--path", type=click.Path(path_type=Path), help="The folder to watch (otherwise here).")
@click.option("--poll", is_flag=True, help="Look for changes; for folders that give no notice of them.")
@limit_options
@language_option
@click.pass_context
def watch(
    context: click.Context,
    exercises: tuple[str, ...],
    path: Path | None,
    poll: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Watch this folder, and grade an exercise as soon as it is saved.

    \b
    grade watch            the first exercise that is not passed, then the next
    grade watch attention  only this one; of a notebook, all that it holds

    Keys: n next, h hint, l list, e explain, r reset, t trace, q quit.
    """
    page = open_page(lang, no_color)
    context.exit(watch_folder(path or Path("."), exercises, page, budget, poll=poll))


def watch_folder(
    folder: Path, words: Sequence[str], page: Page, budget: dict[str, float], *, poll: bool = False
) -> int:
    """Watches until the learner leaves: the exit code."""
    from grader.watch.saves import Saves, needs_looking
    from grader.watch.terminal import Terminal

    chosen = _chosen(folder, words)
    terminal = Terminal(sys.stdin, sys.stdout)
    try:
        with (
            terminal,
            Saves(folder, terminal.wake, poll=poll or needs_looking(folder)) as saves,
            _Grading({**LIMITS, **budget}) as grading,
        ):
            _watch(folder, chosen, page, terminal, saves, grading)
    except KeyboardInterrupt:
        if terminal.signalled is None:
            raise
        return 128 + terminal.signalled
    return 0


def _watch(
    folder: Path,
    chosen: Sequence[str],
    page: Page,
    terminal: Terminal,
    saves: Saves,
    grading: _Grading,
) -> None:
    from grader.watch.desk import Desk

    def settle() -> set[str]:
        until = time.monotonic() + SETTLE
        while not saves.waiting and (left := until - time.monotonic()) > 0:
            terminal.pause(left)
        return saves.take()

    desk = Desk(folder, chosen, _screen(folder, page, terminal, saves, grading), grading.grade, settle)
    if page.console.is_terminal:
        desk.greet()
    desk.start()
    desk.saved(desk.chosen)  # whatever was saved before the notices began
    while _turn(desk, folder, terminal, saves):
        if not saves.waiting:
            grading.rest()


def _turn(desk: Desk, folder: Path, terminal: Terminal, saves: Saves) -> bool:
    """One thing that happened: a save first, then a key, then what can wait.  False: leave."""
    names = saves.take()
    if names:
        desk.saved(names)
        return True
    if saves.problem is not None or not folder.is_dir():
        why = saves.problem.strerror if saves.problem is not None else None
        raise SubmissionError(
            Text(
                f"{folder} can no longer be watched: {why or 'the folder is gone'}",
                f"无法继续监视 {folder}：{why or '文件夹已不存在'}",
            )
        )
    key = terminal.key(0 if desk.pending else TICK)
    if terminal.resized:
        terminal.resized = False
        desk.redraw()
    if key is not None:
        return desk.key(key)
    if not saves.waiting:
        desk.idle()
    return True


class _Grading(WarmSession):
    """A warm session, which starts anew after a fault of the kit."""

    def grade(self, submission: Submission, name: str) -> ExerciseResult:
        from dataclasses import replace

        from grader.errors import KitError

        session = self.open()
        try:
            report = session.grade(replace(submission, chosen=(name,)), only=(name,))
        except KitError:
            self.close()
            raise
        return report.exercises[0]


# -- around it --------------------------------------------------------------------------------------


def _chosen(folder: Path, words: Sequence[str]) -> tuple[str, ...]:
    """The exercises to watch: those named, all of a workspace, or those whose files are there."""
    from grader.cli.targets import find_exercises
    from grader.exercises.registry import module_names
    from grader.submission.source import read_submission
    from grader.workspace.place import Workspace

    named: list[str] = []
    for word in words:
        if word.endswith(".ipynb") and (folder / word).is_file():
            from grader.submission.notebooks import modules_of

            named += modules_of(folder / word).files  # all that it holds
        else:
            named.append(word.removesuffix(".py"))
    chosen = find_exercises(named, module_names())
    if not folder.is_dir() or Workspace.find(folder) is None:
        there = read_submission(folder, chosen if words else ())
        if not folder.is_dir():
            raise SubmissionError(
                Text(
                    f"{folder} is not a folder: give the one it is in",
                    f"{folder} 不是文件夹：请给出其所在的文件夹",
                )
            )
        return chosen if words else there.chosen
    return chosen


def _screen(
    folder: Path, page: Page, terminal: Terminal, saves: Saves, grading: _Grading
) -> PipeScreen | TerminalScreen:
    from grader.watch.screens import PipeScreen, TerminalScreen

    if not page.console.is_terminal:
        return PipeScreen(page.console, page.language, folder)

    def wait() -> None:
        while terminal.key(TICK) is None and not saves.waiting and terminal.has_keys:
            pass

    return TerminalScreen(
        page.console,
        page.language,
        folder,
        keys=terminal.has_keys,
        explain=lambda fault, name: _explain(page, fault, name),
        trace=lambda name: _trace(page, folder, name, grading.launcher),
        wait=wait,
    )


def _explain(page: Page, fault: str, name: str) -> None:
    from grader.cli.explain import explain_page

    _told(page, lambda: explain_page(page, fault, name))


def _trace(page: Page, folder: Path, name: str, launcher: Launcher | None) -> None:
    from grader.cli.trace import trace_page

    _told(page, lambda: trace_page(page, folder, name, launcher))


def _told(page: Page, show: Callable[[], object]) -> None:
    """Shows a page; what keeps it from being shown is said in its place."""
    try:
        show()
    except GraderError as error:
        from grader.reports.cleaning import clean

        page.console.print(clean(error.text.in_(page.language)), soft_wrap=True)
