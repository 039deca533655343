"""While an interview runs, what an interviewer would not allow waits, and results stay hidden."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InterviewRunning
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.language import Page
    from grader.cli.targets import Targets
    from grader.interview.state import Interview
    from grader.workspace.place import Workspace

__all__ = ["BLOCKED", "held_back", "interview_at", "interview_run", "waits"]

# what tells a mistake, or how to put it right; also the bare `grade`, which watches
BLOCKED = frozenset(
    {"explain", "hint", "precision", "repro", "solution", "status", "trace", "train", "watch"}
)
FOLDER = ".grade"  # the name in `grader.workspace.place`, which most commands need not import


def held_back(command: str, words: Sequence[str]) -> bool:
    """Raises `InterviewRunning` where a command has to wait.

    True where the time of an interview is up: it has been ended, and its post-mortem was shown instead.
    """
    for folder in _folders(words):
        found = interview_at(folder)
        if found is None:
            continue
        workspace, interview = found
        if interview.is_over(time.time()):
            from grader.cli.interview import finish
            from grader.cli.language import asked_language, open_page

            finish(workspace, interview, "time", open_page(asked_language(words), "--no-color" in words))
            return True
        raise waits(f"grade {command}", interview)
    return False


def interview_at(folder: Path) -> tuple[Workspace, Interview] | None:
    """The interview that runs in a folder, in a workspace or not."""
    try:
        if not (folder / FOLDER).is_dir():
            return None
    except OSError:  # a name that is too long, a folder that may not be entered
        return None
    from grader.interview.state import latest
    from grader.workspace.place import Workspace

    workspace = Workspace.find(folder)
    interview = latest(workspace) if workspace is not None else None
    if workspace is None or interview is None or not interview.running:
        return None
    return workspace, interview


def interview_run(targets: Targets, page: Page, budget: Mapping[str, float], *, asked: bool) -> int | None:
    """`grade run` during an interview: the exit code; None where there is none.

    asked: the result is wanted in a file, where it would tell everything.
    """
    found = interview_at(_folder_of(targets.path))
    if found is None:
        return None
    from grader.cli.interview import finish, hidden_run

    workspace, interview = found
    if interview.is_over(time.time()):
        finish(workspace, interview, "time", page)
        return 0
    if asked:
        raise waits("grade run --json", interview)
    return hidden_run(workspace, interview, targets, page, budget)


def waits(what: str, interview: Interview) -> InterviewRunning:
    """The error that says so."""
    from grader.reports.interview import clock

    left = clock(interview.left(time.time()))
    return InterviewRunning(
        Text(
            f"`{what}` waits until the interview is over ({left} left); `grade interview --end` ends it now",
            f"面试结束之前不能使用 `{what}`（剩余 {left}）；`grade interview --end` 可立即结束",
        )
    )


def _folders(words: Sequence[str]) -> Iterator[Path]:
    """Here, and every folder that the command line speaks of."""
    yield Path()
    for word in words:
        yield _folder_of(Path(word.partition("=")[2] if word.startswith("--path=") else word))


def _folder_of(path: Path) -> Path:
    try:
        return path if path.is_dir() else path.parent
    except OSError:
        return path.parent
