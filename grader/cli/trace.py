"""`grade trace`: the learner's own lines, with what each computed on one small call."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.files import STDOUT, must_be_writable, write_json
from grader.cli.language import Page, language_option, open_page
from grader.cli.limits import limit_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.submission.launcher import Launcher
    from grader.submission.source import Submission
    from grader.tracing.records import Trace

__all__ = ["trace", "trace_page"]


@click.command(short_help="Show what each line of your code computes.")
@click.argument("targets", nargs=-1, metavar="EXERCISE|FILE")
@click.option(
    "--path", type=click.Path(path_type=Path), help="The folder or file to look at (otherwise here)."
)
@click.option(
    "--call", metavar="NAME", help="The function or class to run (otherwise the one that is wrong)."
)
@click.option("--strides", is_flag=True, help="Strides of every value, not only of those in several pieces.")
@click.option("--steps", is_flag=True, help="Every operation of a line, not only what it gave in the end.")
@click.option("--json", "json_to", metavar="FILE|-", help="Write the trace as JSON; - prints only that.")
@limit_options
@language_option
@click.pass_context
def trace(
    context: click.Context,
    targets: tuple[str, ...],
    path: Path | None,
    call: str | None,
    strides: bool,
    steps: bool,
    json_to: str | None,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Run one small call, and print your source with the shape, dtype and range that each line computed.

    \b
    grade trace attention
    grade trace layer_norm --call AddNorm
    grade trace homework/ada/masks.py --steps

    Every size of the call is another number, so that shapes have names: B=2 H=3 L=5 d_k=4. The first line
    that is not right is marked. The exit code is 0 when the lines are right, 1 when one is not, and 2 when
    the code cannot be run.
    """
    from grader.cli.targets import find_targets, one_exercise
    from grader.exercises.registry import module_names

    to_stdout = json_to == STDOUT
    page = open_page(lang, no_color, to_stderr=to_stdout)
    if json_to is not None and not to_stdout:
        must_be_writable(Path(json_to))
    found = find_targets(targets, path, module_names())
    submission, exercise = one_exercise(found)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    from grader.submission.launcher import default_launcher

    # the zygote imports torch on another core while we do
    with default_launcher() as launcher:
        traced = _traced(submission, exercise, launcher, call, budget)
    if json_to is not None:
        from grader.reports.trace_json import trace_as_json

        write_json(trace_as_json(traced, page.language), json_to)
    if not to_stdout:
        _print(page, traced, found.path, strides=strides, steps=steps)
    context.exit(0 if traced.right and traced.first_wrong is None else 1)


def trace_page(page: Page, path: Path, exercise: str, launcher: Launcher | None = None) -> Trace:
    """Prints the trace of one exercise on a page; `launcher`: of a session that has one already."""
    from grader.submission.launcher import default_launcher
    from grader.submission.source import read_submission

    submission = read_submission(path, (exercise,))
    if launcher is not None:
        traced = _traced(submission, exercise, launcher, None, {})
    else:
        with default_launcher() as own:
            traced = _traced(submission, exercise, own, None, {})
    _print(page, traced, path)
    return traced


def _traced(
    submission: Submission,
    exercise: str,
    launcher: Launcher,
    call: str | None,
    budget: Mapping[str, float],
) -> Trace:
    from grader.tracing.run import trace_exercise

    return trace_exercise(submission, exercise, launcher, call, budget=budget)


def _print(page: Page, traced: Trace, path: Path, *, strides: bool = False, steps: bool = False) -> None:
    from grader.reports.trace import How, print_trace

    print_trace(traced, page.console, page.language, How(strides, steps), _folder(path))


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
