"""`grade solution`: the reference beside your own, once yours passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.busy import busy
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.cli.workspaces import graded_now, named, path_option
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.submission.source import Submission

__all__ = ["solution"]


@click.command(short_help="Show the reference beside yours, once it passes.")
@click.argument("exercise", metavar="EXERCISE")
@path_option
@click.option("--force", is_flag=True, help="Show it although yours does not pass.")
@limit_options
@language_option
def solution(
    exercise: str,
    path: Path | None,
    force: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Show the reference solution of an exercise beside your own, part by part.

    It is there to compare with, so it is shown when yours has passed, or with --force.
    """
    from grader.data import solution_folder
    from grader.reports.paper import Paper
    from grader.reports.solution import solution_page
    from grader.reports.terminal import print_lines
    from grader.submission.decoding import parse_source
    from grader.submission.source import read_submission

    page = open_page(lang, no_color)
    name = named([exercise])[0]
    folder = path or Path(".")
    submission = read_submission(folder, (name,), may_be_empty=True)
    if not force and not _passed(folder, submission, name, budget, page.language):
        raise UsageError(
            Text(
                f"{name} is not passed yet; `grade hint {name}` helps, and --force shows it anyway",
                f"{name} 还没有通过；`grade hint {name}` 可给出提示，--force 仍可查看参考答案",
            )
        )
    reference = parse_source(name, f"{name}.py", (solution_folder() / f"{name}.py").read_bytes())
    paper = Paper.on(page.console, page.language, folder)
    mine = submission.files.get(name)
    print_lines(solution_page(name, mine, reference, paper), page.console)


def _passed(folder: Path, submission: Submission, name: str, budget: dict[str, float], language: str) -> bool:
    """Whether it has ever passed here, or passes now."""
    from grader.workspace.place import Workspace
    from grader.workspace.runs import run_data, runs_of

    workspace = Workspace.find(folder)
    if workspace is not None and any(r.passed for r in runs_of(workspace) if r.exercise == name):
        return True
    if name not in submission.files:
        return False
    with busy(language):
        result = graded_now(submission, name, budget)
    if workspace is not None:
        workspace.record("run", **run_data(submission, result, "solution"))
    return result.passed
