"""`grade list`: the exercises, and how far each file is.  Reads, runs nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.language import language_option, open_page

if TYPE_CHECKING:
    from grader.exercises.registry import Exercise
    from grader.reports.workspace import Row
    from grader.submission.source import SourceFile

__all__ = ["listing"]


@click.command("list", short_help="List the exercises and how far you are.")
@click.option("--path", type=click.Path(path_type=Path), help="The folder to look into (otherwise here).")
@language_option
def listing(path: Path | None, lang: str | None, no_color: bool) -> None:
    """List the exercises: points, what each builds on, how far each file is."""
    from grader.exercises.registry import all_exercises
    from grader.reports.workspace import catalogue
    from grader.submission.source import read_submission

    page = open_page(lang, no_color)
    files = read_submission(path or Path("."), may_be_empty=True).files
    rows = tuple(_row(e, files.get(e.id)) for e in all_exercises())
    for part in catalogue(rows, page.language, page.console.width):
        page.console.print(part)


def _row(exercise: Exercise, file: SourceFile | None) -> Row:
    from grader.reports.workspace import Row

    return Row(exercise.id, exercise.title, exercise.max_score, exercise.requires, *_state(exercise, file))


def _state(exercise: Exercise, file: SourceFile | None) -> tuple[str, int | None]:
    if file is None:
        return "absent", None
    if file.places is not None:  # a line of the notebook says nothing without its cell
        return _state(exercise, replace(file, places=None))[0], None
    if file.problem is not None:
        return "empty" if file.problem.fault == "not-implemented" else "unreadable", file.problem.line
    unfinished = file.unfinished(exercise)
    if not unfinished:
        return "written", None
    open_entries = {name.split(".")[0] for name in unfinished}
    every = all(e.name in open_entries for e in exercise.entries)
    return "to-do" if every else "begun", min(unfinished.values())
