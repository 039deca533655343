"""An interview at a terminal: the clock runs in one line, and each save or Enter grades."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console

from grader.cli.warm import WarmSession
from grader.errors import GraderError
from grader.interview.state import Interview, latest, runs_in
from grader.reports.interview import clock_line, start_lines, verdict_lines
from grader.reports.paper import Paper
from grader.reports.terminal import print_lines
from grader.submission.source import read_submission
from grader.text import Text
from grader.watch.terminal import Terminal
from grader.workspace.digests import source_digest
from grader.workspace.place import Workspace
from grader.workspace.runs import record_report

if TYPE_CHECKING:
    from grader.marking.records import ExerciseResult

__all__ = ["Sitting", "sit"]

TICK = 1.0
SETTLE = 0.15  # seconds for the rest of a save
Finish = Callable[[Workspace, Interview, str], None]


class Sitting(WarmSession):
    """Grades in a warm session, remembers the runs, and says little about them."""

    def __init__(self, workspace: Workspace, found: Interview, budget: Mapping[str, float]) -> None:
        super().__init__(budget)
        self.workspace = workspace
        self.interview = found

    def grade(self, place: Path, only: Collection[str]) -> tuple[ExerciseResult, ...]:
        """The results of a folder or file."""
        submission = read_submission(place, only)
        report = self.open().grade(submission, only=only)
        record_report(submission, report, place, "interview")
        return report.exercises

    def show(self, results: Sequence[ExerciseResult], console: Console, paper: Paper) -> None:
        """What an interviewer would say."""
        print_lines([line for result in results for line in verdict_lines(result, paper)], console)

    def complete(self, results: Sequence[ExerciseResult]) -> bool:
        """Nothing is left to do."""
        own = [r for r in results if r.id == self.interview.exercise]
        return any(r.passed and r.score >= r.max_score for r in own)


def sit(
    workspace: Workspace,
    found: Interview,
    console: Console,
    paper: Paper,
    budget: Mapping[str, float],
    *,
    resumed: bool,
    finish: Finish,
) -> int:
    """Shows what begins, and stays with it where there are keys: the exit code."""
    from grader.watch.saves import Saves, needs_looking

    terminal = Terminal(sys.stdin, sys.stdout)
    keys = terminal.has_keys and console.is_terminal
    file = read_submission(workspace.folder, may_be_empty=True).files.get(found.exercise)
    name = (file.place(None)[0] or file.name) if file is not None else f"{found.exercise}.py"
    print_lines([*start_lines(found, name, time.time(), paper, resumed=resumed, keys=keys)], console)
    if not keys:
        return 0
    sitting = Sitting(workspace, found, budget)
    try:
        with terminal, Saves(workspace.folder, terminal.wake, poll=needs_looking(workspace.folder)) as saves:
            return _Live(sitting, terminal, console, paper, finish, saves.take).run()
    except KeyboardInterrupt:
        console.print()
        print_lines([*paper.lines(paper.say(LEFT))], console)
        return 130 if terminal.signalled is None else 128 + terminal.signalled
    finally:
        sitting.close()


LEFT = Text(
    "The clock goes on; `grade interview` comes back to it, `grade interview --end` ends it.",
    "计时继续；`grade interview` 可以回来，`grade interview --end` 可以结束。",
)
ASKED = Text("End the interview? y: yes, any other key: no", "要结束面试吗？y：是，其他键：否")
ELSEWHERE = Text("The interview was ended elsewhere.", "面试已在别处结束。")


class _Live:
    """The loop: the clock, saves, keys."""

    def __init__(
        self,
        sitting: Sitting,
        terminal: Terminal,
        console: Console,
        paper: Paper,
        finish: Finish,
        saved: Callable[[], Collection[str]],
    ) -> None:
        self.sitting = sitting
        self.terminal = terminal
        self.console = console
        self.paper = paper
        self.finish = finish
        self.saved = saved
        self.graded = ""  # the text of the last run
        self.runs = len(runs_in(sitting.interview, sitting.workspace.events("run")))

    def run(self) -> int:
        """Until it is over, or left: the exit code."""
        found, workspace = self.sitting.interview, self.sitting.workspace
        asking = False
        while True:
            now = latest(workspace)
            if now is None or not now.running:
                self._say(ELSEWHERE)
                return 0
            if found.is_over(time.time()):
                return self._end("time")
            if self._is_saved() and self._grade(again=False):
                return self._end("passed")
            self._line(self.paper.say(ASKED) if asking else self._clock())
            self.sitting.rest()
            key = self.terminal.key(TICK)
            if key is None:
                continue
            if asking:
                asking = False
                if key in ("y", "Y"):
                    return self._end("ended")
            elif key in ("\r", "\n", "r"):
                if self._grade(again=True):
                    return self._end("passed")
            elif key == "e":
                asking = True
            elif key in ("q", "\x04"):
                self._say(LEFT)
                return 0

    def _is_saved(self) -> bool:
        if not self.saved():
            return False
        self.terminal.pause(SETTLE)
        self.saved()
        return True

    def _grade(self, *, again: bool) -> bool:
        """Grades what is there: whether nothing is left to do.  The same text only if asked to."""
        name, folder = self.sitting.interview.exercise, self.sitting.workspace.folder
        try:
            file = read_submission(folder, may_be_empty=True).files.get(name)
            digest = source_digest(file)
            if digest == self.graded and not again:
                return False
            self._line("...")
            results = self.sitting.grade(folder, (name,))
        except GraderError as error:
            self._say(error.text)
            return False
        self.graded = digest
        self.runs += 1
        self._line("")
        self.sitting.show(results, self.console, self.paper)
        return self.sitting.complete(results)

    def _end(self, reason: str) -> int:
        self._line("")
        self.finish(self.sitting.workspace, self.sitting.interview, reason)
        return 0

    def _clock(self) -> str:
        return clock_line(self.sitting.interview, self.runs, time.time(), self.paper)

    def _say(self, text: Text) -> None:
        self._line("")
        print_lines([*self.paper.lines(self.paper.say(text))], self.console)

    def _line(self, words: str) -> None:
        """Puts words into the last line, in place of what is there."""
        room = max(self.console.width - 1, 1)
        while cell_len(words) > room:
            words = words[:-1]
        stream = self.console.file
        stream.write(f"\r{words}{' ' * (room - cell_len(words))}\r{words}")
        if not words:
            stream.write("\r")
        stream.flush()
