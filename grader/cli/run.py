"""`grade run`: grades a submission and prints the report."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.files import must_be_writable, write_json
from grader.cli.language import language_option, open_page
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.targets import Targets
    from grader.marking.records import Report

__all__ = ["run"]

STDOUT = "-"


@click.command(short_help="Grade what you wrote; the main job.")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|FILE|FOLDER]...")
@click.option("--path", type=click.Path(path_type=Path), help="The folder or file to grade (otherwise here).")
@click.option("--json", "json_to", metavar="FILE|-", help="Write the result as JSON; - prints only that.")
@click.option("--call-seconds", type=click.FloatRange(0, min_open=True), help="Limit of one call.")
@click.option("--total-seconds", type=click.FloatRange(0, min_open=True), help="Limit of one exercise.")
@click.option("--memory-mib", type=click.IntRange(64), help="Memory for the submission, beside torch's.")
@click.option("--processes", type=click.IntRange(1), help="How many threads the submission may run at once.")
@click.option("--output-kib", type=click.IntRange(1), help="How much of what it prints is kept.")
@click.option("--with-reference", is_flag=True, help="Use the kit's own part for one that cannot run.")
@language_option
@click.pass_context
def run(
    context: click.Context,
    targets: tuple[str, ...],
    path: Path | None,
    json_to: str | None,
    call_seconds: float | None,
    total_seconds: float | None,
    memory_mib: int | None,
    processes: int | None,
    output_kib: int | None,
    with_reference: bool,
    lang: str | None,
    no_color: bool,
) -> None:
    """Grade what is in this folder, or the exercises, file or folder named.

    \b
    grade run                      every exercise that is here
    grade run attention            one exercise
    grade run attention.py         one file
    grade run --path homework/ada  somewhere else
    """
    from grader.cli.targets import find_targets
    from grader.exercises.registry import module_names

    to_stdout = json_to == STDOUT
    page = open_page(lang, no_color, to_stderr=to_stdout)
    if json_to is not None and not to_stdout:
        must_be_writable(Path(json_to))
    limits = {
        "call": call_seconds,
        "total": total_seconds,
        "memory": memory_mib and memory_mib << 20,
        "processes": processes,
        "output": output_kib and output_kib << 10,
    }
    found = find_targets(targets, path, module_names())
    with _quietly_busy(page.language):
        budget = {n: float(v) for n, v in limits.items() if v is not None}
        report = _grade(found, budget, with_reference=with_reference)
    taken_as = _taken_as(found.path, report)
    if taken_as is not None:
        page.console.print(taken_as.in_(page.language), soft_wrap=True)

    from grader.reports.terminal import print_report

    if json_to is not None:
        from grader.reports.json_report import as_json

        write_json(as_json(report, page.language), json_to)
    folder = found.path if found.path.is_dir() else found.path.parent
    print_report(report, page.console, page.language, folder.absolute())
    context.exit(0 if report.passed else 1 if report.graded else 2)


def _grade(targets: Targets, budget: dict[str, float], *, with_reference: bool) -> Report:
    from grader.submission.launcher import default_launcher
    from grader.submission.source import read_submission

    submission = read_submission(targets.path, targets.only)
    if targets.only and not set(submission.chosen) & set(targets.only):
        wanted, there = ", ".join(targets.only), ", ".join(submission.chosen)
        raise UsageError(
            Text(
                f"{targets.path} holds the exercise {there}, not {wanted}",
                f"{targets.path} 中是练习 {there}，而不是 {wanted}",
            )
        )
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    # the zygote imports torch on another core while we do
    with default_launcher() as launcher:
        from grader.marking.lanes import grade_in_lanes

        return grade_in_lanes(
            submission, launcher, budget=budget, only=targets.only, with_reference=with_reference
        )


def _taken_as(path: Path, report: Report) -> Text | None:
    """What a file with a name of its own was graded as: it may be not what its author thinks."""
    ids = [e.id for e in report.exercises]
    if path.is_dir() or ids == [path.stem]:
        return None
    return Text(
        f"{path.name} is graded as {', '.join(ids)}; what else is in it is not graded.",
        f"{path.name} 按 {'、'.join(ids)} 评分；其中的其他内容不评分。",
    )


@contextmanager
def _quietly_busy(language: str) -> Iterator[None]:
    """A sign of life while torch is being imported, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from grader.reports.output import make_console

    words = Text("grading", "正在评分").in_(language)
    with make_console(sys.stderr).status(words, spinner="line"):
        yield
