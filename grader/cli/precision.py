"""`grade precision`: how far each dtype is from exact."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.files import STDOUT, must_be_writable, write_json
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options

if TYPE_CHECKING:
    from grader.cli.targets import Targets
    from grader.precision.records import Precision

__all__ = ["precision"]


@click.command(short_help="How far off each dtype is, and under autocast.")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|FILE|FOLDER]...")
@click.option(
    "--path", type=click.Path(path_type=Path), help="The folder or file to look at (otherwise here)."
)
@click.option("--json", "json_to", metavar="FILE|-", help="Write the table as JSON; - prints only that.")
@limit_options
@language_option
@click.pass_context
def precision(
    context: click.Context,
    targets: tuple[str, ...],
    path: Path | None,
    json_to: str | None,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Run the same calls in float64, float32, bfloat16, float16 and under autocast, and print how far off
    the results are, in roundings of each dtype.

    \b
    grade precision
    grade precision attention
    grade precision homework/ada

    The exit code is 0 when rounding explains every error, 1 when not, and 2 when nothing can be run.
    """
    from grader.cli.targets import find_targets
    from grader.exercises.registry import module_names

    to_stdout = json_to == STDOUT
    page = open_page(lang, no_color, to_stderr=to_stdout)
    if json_to is not None and not to_stdout:
        must_be_writable(Path(json_to))
    found = _measured(find_targets(targets, path, module_names()), budget)
    if json_to is not None:
        from grader.reports.precision_json import precision_as_json

        write_json(precision_as_json(found, page.language), json_to)
    if not to_stdout:
        from grader.reports.paper import Paper
        from grader.reports.precision import precision_lines
        from grader.reports.terminal import print_lines

        print_lines([*precision_lines(found, Paper.on(page.console, page.language))], page.console)
    context.exit(0 if all(p.right for p in found) else 1 if any(p.rows for p in found) else 2)


def _measured(targets: Targets, budget: dict[str, float]) -> list[Precision]:
    from grader.cli.targets import not_there
    from grader.submission.launcher import default_launcher
    from grader.submission.source import read_submission

    submission = read_submission(targets.path, targets.only)
    chosen = [name for name in submission.chosen if not targets.only or name in targets.only]
    if targets.only and not chosen:
        raise not_there(targets, submission.chosen)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    with default_launcher() as launcher:
        from grader.precision.run import measure

        return [measure(submission, name, launcher, budget) for name in chosen]
