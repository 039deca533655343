"""`grade run`: grades a submission and prints the report."""

from __future__ import annotations

import gc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.busy import busy
from grader.cli.gate import interview_run
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.cli.outputs import Album, Outputs, output_options
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.targets import Targets
    from grader.marking.records import Report

__all__ = ["run"]


@click.command(short_help="Grade what you wrote; the main job.")
@click.argument("targets", nargs=-1, metavar="[EXERCISE|FILE|FOLDER]...")
@click.option("--path", type=click.Path(path_type=Path), help="The folder or file to grade (otherwise here).")
@output_options
@click.option("--with-reference", is_flag=True, help="Use the kit's own part for one that cannot run.")
@click.option(
    "--device",
    type=click.Choice(("cpu", "cuda", "mps")),
    help="Also try what passes on this device, at the size of real work.",
)
@limit_options
@language_option
@click.pass_context
def run(
    context: click.Context,
    targets: tuple[str, ...],
    path: Path | None,
    outputs: Outputs,
    with_reference: bool,
    device: str | None,
    budget: dict[str, float],
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
    from grader.reports.cleaning import clean

    page = open_page(lang, no_color, to_stderr=outputs.json_only)
    outputs.check()
    with outputs.guarded():
        found = find_targets(targets, path, module_names())
        code = interview_run(found, page, budget, asked=outputs != Outputs())
        if code is not None:
            context.exit(code)
        album = Album(outputs.html is not None)
        if device is not None:
            _must_be_there(device)
        with busy(page.language):
            report = _grade(found, budget, with_reference=with_reference, album=album, device=device)
        for note in (*report.notes, _taken_as(found.path, report)):
            if note is not None:
                page.console.print(clean(note.in_(page.language)), soft_wrap=True)

        from grader.reports.terminal import print_report

        folder = found.path if found.path.is_dir() else found.path.parent
        outputs.write(report, album.pictures, page.language, folder)
        print_report(report, page.console, page.language, folder.absolute())
    outputs.annotate(report, page.language, folder)
    right = report.passed and (report.device is None or report.device.right)
    context.exit(0 if right else 1 if report.graded else 2)


def _must_be_there(device: str) -> None:
    from grader.devices.available import missing

    why = missing(device)
    if why is not None:
        raise UsageError(why)


def _grade(
    targets: Targets,
    budget: dict[str, float],
    *,
    with_reference: bool,
    album: Album,
    device: str | None = None,
) -> Report:
    from grader.cli.targets import not_there
    from grader.submission.launcher import default_launcher
    from grader.submission.source import read_submission

    submission = read_submission(targets.path, targets.only)
    if targets.only and not set(submission.chosen) & set(targets.only):
        raise not_there(targets, submission.chosen)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    # the zygote imports torch on another core while we do
    with default_launcher() as launcher:
        from grader.marking.lanes import grade_in_lanes

        report = grade_in_lanes(
            submission, launcher, budget=budget, only=targets.only, with_reference=with_reference
        )
        album.draw(submission, launcher, report, budget, with_reference=with_reference)
    if device is not None:
        from grader.devices.run import launcher_of, try_device

        passed = [e.id for e in report.exercises if e.passed]
        with launcher_of(device) as devices:
            tried = try_device(submission, device, passed, devices, budget=budget)
        report = replace(report, device=tried)
    from grader.workspace.runs import record_report

    record_report(submission, report, targets.path)
    return report


def _taken_as(path: Path, report: Report) -> Text | None:
    """What a file with a name of its own was graded as: it may be not what its author thinks."""
    ids = [e.id for e in report.exercises]
    if path.is_dir() or path.suffix == ".ipynb" or ids == [path.stem]:
        return None
    return Text(
        f"{path.name} is graded as {', '.join(ids)}; what else is in it is not graded.",
        f"{path.name} 按 {'、'.join(ids)} 评分；其中的其他内容不评分。",
    )
