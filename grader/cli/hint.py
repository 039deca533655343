"""`grade hint`: the next rung of the ladder, for the mistake that is there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.busy import busy
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.cli.workspaces import at_work, graded_now, named, path_option, progress_in
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.records import Diagnosis
    from grader.submission.source import Submission
    from grader.workspace.hints import Answer
    from grader.workspace.place import Workspace

__all__ = ["hint"]


@click.command(short_help="Give the next hint for your mistake.")
@click.argument("exercise", required=False, metavar="[EXERCISE]")
@path_option
@click.option("--again", is_flag=True, help="Show the hints once more that were given already.")
@limit_options
@language_option
def hint(
    exercise: str | None,
    path: Path | None,
    again: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Give the next hint: for the mistake in your code as it is now, one rung of the ladder at a time.

    \b
    grade hint            for the exercise that you are working on
    grade hint attention  for this one

    A hint is never given twice; --again shows those that were given. Where nothing is written yet, it says
    where to start.
    """
    from grader.reports.hints import again_lines, hint_lines
    from grader.reports.paper import Paper
    from grader.reports.terminal import print_lines
    from grader.submission.source import read_submission
    from grader.workspace.hints import remember
    from grader.workspace.place import Workspace

    page = open_page(lang, no_color)
    folder = path or Path(".")
    workspace = Workspace.find(folder)
    name = _which(exercise, workspace)
    paper = Paper.on(page.console, page.language, folder)
    if name is None:
        words = Text(
            "Every exercise is passed; there is nothing to hint at.", "所有练习都已通过，不需要提示。"
        )
        print_lines([*paper.lines(paper.say(words))], page.console)
        return
    submission = read_submission(folder, (name,), may_be_empty=workspace is not None)
    with busy(page.language):
        found = _answer(submission, name, workspace, budget)
    if again:
        print_lines([*again_lines(found, paper)], page.console)
        return
    print_lines([*hint_lines(found, paper)], page.console)
    if workspace is None or not remember(workspace, found):
        words = Text(
            "This folder does not remember which hints were given: `grade init` makes it a workspace.",
            "此文件夹不记录给过哪些提示：`grade init` 可使其成为练习目录。",
        )
        print_lines([*paper.lines(paper.say(words), style="dim")], page.console)


def _which(exercise: str | None, workspace: Workspace | None) -> str | None:
    if exercise is not None:
        return named([exercise])[0]
    if workspace is not None:
        return at_work(progress_in(workspace))
    raise UsageError(
        Text(
            "which exercise? Outside a workspace give its name, such as `grade hint attention`",
            "是哪个练习？在练习目录之外请写出名称，例如 `grade hint attention`",
        )
    )


def _answer(
    submission: Submission, name: str, workspace: Workspace | None, budget: dict[str, float]
) -> Answer:
    from grader.workspace.digests import work_digest
    from grader.workspace.hints import answer, given_hints
    from grader.workspace.runs import run_data, runs_of

    file = submission.files.get(name)
    given = given_hints(workspace.events("hint", "run") if workspace is not None else ())
    digest = work_digest(submission, name)
    last = None
    if workspace is not None:
        last = next((r for r in reversed(runs_of(workspace)) if r.exercise == name), None)
    if last is not None and last.work == digest and _usable(last.diagnoses, last.status):
        return answer(name, last.status, last.diagnoses, file, given)
    result = graded_now(submission, name, budget)
    if workspace is not None:
        workspace.record("run", **run_data(submission, result, "hint"))
    return answer(name, result.status, result.diagnoses, file, given, result.note)


def _usable(diagnoses: Iterable[Diagnosis], status: str) -> bool:
    """A run that left no diagnosis has its reason in a note, which only a new one gives."""
    return status == "passed" or any(True for _ in diagnoses)
