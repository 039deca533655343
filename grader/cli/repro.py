"""`grade repro`: the smallest input on which the code is not right, as a program to keep."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.files import create_only, must_be_writable, write_atomically
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.errors import SubmissionError, UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.cli.targets import Targets
    from grader.repro.run import Reproduction

__all__ = ["repro"]

# what each outcome means for the shell: found, or nothing to find; the rest is there, but not to be shown
CODES = {"found": 0, "passed": 0, "hidden": 1, "unusable": 2}


@click.command(short_help="Show the smallest input on which it is wrong.")
@click.argument("targets", nargs=-1, metavar="EXERCISE|FILE|FOLDER...")
@click.option(
    "--path", type=click.Path(path_type=Path), help="The folder or file to look at (otherwise here)."
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the program to a file."
)
@click.option("--force", is_flag=True, help="Overwrite the file given with --output.")
@limit_options
@language_option
@click.pass_context
def repro(
    context: click.Context,
    targets: tuple[str, ...],
    path: Path | None,
    output: Path | None,
    force: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Print the smallest input on which your code is not right, as a program that runs beside it.

    Of a notebook it is a program for a cell.

    \b
    grade repro attention                    of attention.py in this folder
    grade repro attention --output small.py  into a file
    grade repro --path homework/ada masks    somewhere else

    The exit code is 0 when a program was printed or there is nothing to reproduce, 1 when no single call
    shows what is wrong, and 2 when the code cannot be run.
    """
    from grader.cli.targets import find_targets
    from grader.exercises.registry import module_names

    page = open_page(lang, no_color)
    notes = open_page(lang, no_color, to_stderr=True)
    if output is not None:
        _must_be_free(output, force, module_names())
    found = _reproduce(find_targets(targets, path, module_names()), budget)
    if found.outcome == "unusable":
        raise SubmissionError(found.text)
    if found.outcome != "found":
        from grader.reports.cleaning import clean

        notes.console.print(clean(found.text.in_(page.language)), soft_wrap=True)
        context.exit(CODES[found.outcome])
    program = found.program(page.language)
    if output is None:
        _show(program)
    else:
        _write(output, program, force)
        said = _written(output, found)
        notes.console.print(said.in_(page.language), soft_wrap=True)
    context.exit(CODES["found"])


def _reproduce(targets: Targets, budget: dict[str, float]) -> Reproduction:
    from grader.cli.targets import one_exercise

    submission, exercise = one_exercise(targets)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    from grader.submission.launcher import default_launcher

    # the zygote imports torch on another core while we do
    with default_launcher() as launcher:
        from grader.repro.run import reproduce

        return reproduce(submission, exercise, launcher, budget)


# -- the file ---------------------------------------------------------------------------------------


def _must_be_free(path: Path, force: bool, names: Sequence[str]) -> None:
    """Finds out before the work, not after, that the program could not be written."""
    must_be_writable(path)
    if path.stem in names and path.suffix == ".py":
        raise UsageError(
            Text(
                f"{path.name} is the name of an exercise; give the program another one",
                f"{path.name} 是练习的文件名；请给程序换一个名字",
            )
        )
    if path.exists() and not force:
        raise _already_there(path)


def _written(output: Path, found: Reproduction) -> Text:
    if not found.in_notebook:
        return Text(
            f"{output} is written; run it in the folder of {found.file}",
            f"已写入 {output}；请在 {found.file} 所在的文件夹中运行",
        )
    command = f'%run -i "{output.absolute()}"'  # in the notebook's names, and wherever its kernel is
    return Text(
        f"{output} is written; run it in a new cell of {found.file}, after those that define the exercise: "
        f"{command}",
        f"已写入 {output}；请先运行定义该练习的单元，再在 {found.file} 的新单元中运行它：{command}",
    )


def _already_there(path: Path) -> UsageError:
    return UsageError(
        Text(
            f"{path} is there already; give another name, or --force to overwrite it",
            f"{path} 已经存在；请换一个名字，或用 --force 覆盖",
        )
    )


def _show(program: str) -> None:
    """Prints the program; into a file or a pipe as UTF-8, which Python reads everywhere."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or sys.stdout.isatty():
        sys.stdout.write(program)
        return
    sys.stdout.flush()
    stream.write(program.encode())
    stream.flush()


def _write(path: Path, program: str, force: bool) -> None:
    if force:
        write_atomically(path, program)
    elif not create_only(path, program.encode()):
        raise _already_there(path)
