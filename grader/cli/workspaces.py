"""What the commands of a workspace share: finding it, and grading one exercise of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from grader.marking.records import ExerciseResult
    from grader.submission.source import Submission
    from grader.workspace.place import Workspace
    from grader.workspace.progress import Progress

__all__ = ["at_work", "changed_since", "graded_now", "named", "path_option", "progress_in", "workspace_at"]

path_option = click.option(
    "--path", type=click.Path(path_type=Path), help="The folder of the workspace (otherwise here)."
)


def workspace_at(path: Path | None) -> Workspace:
    """The workspace at a path; `UsageError` where there is none."""
    from grader.workspace.place import Workspace

    folder = path or Path(".")
    found = Workspace.find(folder)
    if found is None:
        where = "" if path is None else f" {path}"
        raise UsageError(
            Text(
                f"{folder.absolute()} is no workspace: `grade init{where}` makes it one; your files stay",
                f"{folder.absolute()} 不是练习目录：`grade init{where}` 可使其成为练习目录，你的文件会保留",
            )
        )
    return found


def named(words: Sequence[str]) -> tuple[str, ...]:
    """The exercises of a command line, which may be given as files; all where there are no words."""
    from grader.cli.targets import find_exercises
    from grader.exercises.registry import module_names

    for word in words:
        if word.endswith(".ipynb"):
            raise UsageError(
                Text(
                    f"{word} is a notebook: give the name of the exercise instead, such as "
                    f"{module_names()[0]}",
                    f"{word} 是 notebook：请改为给出练习的名称，例如 {module_names()[0]}",
                )
            )
    return find_exercises([word.removesuffix(".py") for word in words], module_names())


def progress_in(workspace: Workspace) -> Progress:
    """What the workspace remembers."""
    from grader.exercises.registry import module_names
    from grader.workspace.progress import progress_of

    return progress_of(workspace.events(), module_names())


def changed_since(workspace: Workspace, progress: Progress) -> list[str]:
    """The exercises whose file is another than the one that was graded last."""
    from grader.submission.source import read_submission
    from grader.workspace.digests import source_digest

    files = read_submission(workspace.folder, may_be_empty=True).files
    return [
        s.exercise
        for s in progress.standings
        if s.last is not None and s.last.source != source_digest(files.get(s.exercise))
    ]


def at_work(progress: Progress) -> str | None:
    """The exercise that is being worked on: the one of the last run, else the first that is not passed."""
    tried = [s for s in progress.standings if s.last is not None and s.last.tried and not s.last.passed]
    if tried:
        return max(tried, key=lambda s: s.last.time if s.last is not None else 0.0).exercise
    return next((s.exercise for s in progress.standings if s.status != "passed"), None)


def graded_now(
    submission: Submission,
    name: str,
    budget: Mapping[str, float] | None = None,
    busy: AbstractContextManager[None] | None = None,
) -> ExerciseResult:
    """Grades one exercise, in a session of its own."""
    import gc
    from dataclasses import replace

    from grader.submission.launcher import default_launcher

    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    with busy or nullcontext(), default_launcher() as launcher:  # imports torch on another core meanwhile
        from grader.marking.session import Session

        session = Session(launcher, budget=budget)
        return session.grade(replace(submission, chosen=(name,)), only=(name,)).exercises[0]
