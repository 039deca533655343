"""`grade interview`: a clock, no help until the end, and a post-mortem."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.language import Page, language_option, open_page
from grader.cli.limits import limit_options
from grader.cli.workspaces import at_work, named, path_option, progress_in
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.targets import Targets
    from grader.interview.state import Interview
    from grader.reports.paper import Paper
    from grader.workspace.place import Workspace

__all__ = ["finish", "hidden_run", "interview"]

MINUTES = 30.0


@click.command(short_help="Write an exercise against the clock, without help.")
@click.argument("exercise", required=False, metavar="[EXERCISE]")
@click.option(
    "--minutes",
    type=click.FloatRange(1, 600),
    default=MINUTES,
    show_default=True,
    help="How long it takes at most.",
)
@click.option("--fresh", is_flag=True, help="Start from the skeleton; what is there is kept as a backup.")
@click.option("--status", "action", flag_value="status", help="Show the clock.")
@click.option("--end", "action", flag_value="end", help="End it now, and show the post-mortem.")
@click.option("--answers", "action", flag_value="answers", help="Answers to the questions of the last one.")
@path_option
@limit_options
@language_option
@click.pass_context
def interview(
    context: click.Context,
    exercise: str | None,
    minutes: float,
    fresh: bool,
    action: str | None,
    path: Path | None,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Write an exercise as in an interview: against the clock, without hints and diagnoses.

    \b
    grade interview attention  start, or go on after the terminal was closed
    grade run                  says how many checks pass, and no more
    grade interview --end      what happened when, and what would be asked next

    It ends by itself when the time is up. `grade hint`, `explain`, `trace`, `repro`, `solution`, `status`
    and `watch` wait until then.
    """
    from grader.interview.state import latest
    from grader.workspace.place import Workspace

    page = open_page(lang, no_color)
    folder = path or Path()
    workspace = Workspace.find(folder)
    last = latest(workspace) if workspace is not None else None
    if workspace is not None and last is not None and last.running and last.is_over(time.time()):
        finish(workspace, last, "time", page)
    elif action == "answers":
        _answers(workspace, last, page)
    elif action is not None:
        if workspace is None or last is None or not last.running:
            raise UsageError(
                Text(
                    "no interview is running here: `grade interview` starts one",
                    "这里没有正在进行的面试：`grade interview` 可以开始",
                )
            )
        if action == "end":
            finish(workspace, last, "ended", page)
        else:
            _clock(workspace, last, page)
    else:
        context.exit(_sit(folder, workspace, last, exercise, minutes, page, budget, fresh=fresh))


def finish(workspace: Workspace, found: Interview, reason: str, page: Page) -> None:
    """Ends an interview and prints its post-mortem."""
    from grader.interview.postmortem import post_mortem
    from grader.interview.state import end, runs_in
    from grader.reports.interview import post_mortem_lines
    from grader.reports.terminal import print_lines

    over = end(workspace, found, reason, time.time())
    told = post_mortem(over, runs_in(over, workspace.events("run")))
    print_lines([*post_mortem_lines(told, _paper(page))], page.console)


def hidden_run(
    workspace: Workspace, found: Interview, targets: Targets, page: Page, budget: Mapping[str, float]
) -> int:
    """`grade run` while an interview runs: the exit code."""
    from grader.cli.busy import busy
    from grader.cli.sitting import Sitting

    sitting = Sitting(workspace, found, budget)
    try:
        with busy(page.language):
            results = sitting.grade(targets.path, targets.only)
    finally:
        sitting.close()
    sitting.show(results, page.console, _paper(page))
    if sitting.complete(results):
        finish(workspace, found, "passed", page)
    return 0 if all(r.passed for r in results) else 1


# -- starting and going on --------------------------------------------------------------------------


def _sit(
    folder: Path,
    workspace: Workspace | None,
    last: Interview | None,
    exercise: str | None,
    minutes: float,
    page: Page,
    budget: Mapping[str, float],
    *,
    fresh: bool,
) -> int:
    """Starts or resumes, and stays where there are keys: the exit code."""
    from grader.cli.sitting import sit
    from grader.interview.state import start
    from grader.workspace.place import Workspace

    name = named([exercise])[0] if exercise is not None else None
    resumed = last is not None and last.running
    if last is not None and last.running and name not in (None, last.exercise):
        raise UsageError(
            Text(
                f"an interview on {last.exercise} is running; `grade interview --end` ends it",
                f"正在进行 {last.exercise} 的面试；`grade interview --end` 可以结束",
            )
        )
    try:
        place = workspace or Workspace.make(folder)
        if last is None or not last.running:
            name = name or at_work(progress_in(place))
            if name is None:
                raise _which_one()
            notes = _skeleton(place, name, fresh=fresh)
            last = start(place, name, minutes)
        else:
            notes = _skeleton(place, last.exercise, fresh=fresh)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(
            Text(f"{folder} cannot keep the clock: {why}", f"{folder} 无法记录计时：{why}")
        ) from error
    for note in notes:
        page.console.print(note.in_(page.language), soft_wrap=True)
    end = partial(finish, page=page)
    return sit(place, last, page.console, _paper(page), budget, resumed=resumed, finish=end)


def _which_one() -> UsageError:
    return UsageError(
        Text(
            "every exercise is passed here: name the one to be asked, as in `grade interview attention`",
            "这里的练习都已通过：请写出要考的练习，例如 `grade interview attention`",
        )
    )


def _skeleton(workspace: Workspace, name: str, *, fresh: bool) -> list[Text]:
    """Puts the skeleton there where it is missing or wanted; what is to be said about it."""
    from grader.cli.files import create_only
    from grader.data import skeleton_folder
    from grader.exercises.registry import exercise
    from grader.submission.source import read_submission
    from grader.workspace.resetting import reset_to_skeleton

    file = read_submission(workspace.folder, (name,), may_be_empty=True).files.get(name)
    if fresh:
        if file is not None and file.places is not None:
            raise _in_notebook(name, file.place(None)[0] or file.name)
        return [reset_to_skeleton(workspace, name).words()]
    if file is None:
        create_only(workspace.folder / f"{name}.py", (skeleton_folder() / f"{name}.py").read_bytes())
        return []
    if file.tree is None or not file.begun(exercise(name)):
        return []
    called = file.place(None)[0] or file.name
    return [
        Text(
            f"{called} is begun already; `--fresh` starts from the skeleton, and keeps a backup.",
            f"{called} 已经写了一部分；`--fresh` 从骨架开始，并保留备份。",
        )
    ]


def _in_notebook(name: str, notebook: str) -> UsageError:
    return UsageError(
        Text(
            f"{name} is in {notebook}, which is not put back to the skeleton for you: empty its cells, "
            "or move the notebook away",
            f"{name} 在 {notebook} 中，无法自动恢复为骨架：请自己清空其中的单元，或移走这个 notebook",
        )
    )


# -- looking ----------------------------------------------------------------------------------------


def _clock(workspace: Workspace, found: Interview, page: Page) -> None:
    from grader.interview.state import runs_in
    from grader.reports.interview import clock_line

    runs = len(runs_in(found, workspace.events("run")))
    page.console.print(clock_line(found, runs, time.time(), _paper(page)), soft_wrap=True)


def _answers(workspace: Workspace | None, last: Interview | None, page: Page) -> None:
    from grader.interview.postmortem import post_mortem
    from grader.interview.state import runs_in
    from grader.reports.interview import answer_lines
    from grader.reports.terminal import print_lines

    if workspace is None or last is None or last.running:
        raise UsageError(
            Text(
                "there are answers when an interview is over: `grade interview --end` ends one, "
                "`grade interview` starts one",
                "面试结束之后才有答案：`grade interview --end` 结束面试，`grade interview` 开始面试",
            )
        )
    told = post_mortem(last, runs_in(last, workspace.events("run")))
    print_lines([*answer_lines(told.questions, _paper(page))], page.console)


def _paper(page: Page) -> Paper:
    from grader.reports.paper import Paper

    return Paper.on(page.console, page.language)
