"""`grade init`: a workspace with the skeletons."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from grader.cli.language import Page, language_option, open_page
from grader.errors import UsageError
from grader.text import Text

__all__ = ["init"]


@click.command(short_help="Make a workspace with the skeletons.")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--notebook", is_flag=True, help="One notebook with all exercises, in place of the files.")
@language_option
def init(folder: Path | None, notebook: bool, lang: str | None, no_color: bool) -> None:
    """Copy the skeletons into DIR (otherwise here); what is there is kept."""
    from grader.cli.files import create_only
    from grader.data import skeleton_folder
    from grader.reports.workspace import Copied, started

    page = open_page(lang, no_color)
    target = folder or Path(".")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            Text(
                f"cannot make the folder {target}: {error.strerror}",
                f"无法建立文件夹 {target}：{error.strerror}",
            )
        ) from error
    _remember(target)
    if notebook:
        _notebook(target, folder, page)
        return
    copied = tuple(
        Copied(source.name, create_only(target / source.name, source.read_bytes()))
        for source in _in_order(skeleton_folder())
    )
    for line in started(copied, folder, page.language):
        page.console.print(line, soft_wrap=True)


def _notebook(target: Path, folder: Path | None, page: Page) -> None:
    """The same skeletons as the cells of a notebook."""
    from grader.cli.files import create_only
    from grader.notebook.skeletons import NAME, skeleton_notebook
    from grader.reports.workspace import Copied, started_notebook

    made = create_only(target / NAME, skeleton_notebook(page.language).encode())
    for line in started_notebook(Copied(NAME, made), folder, page.language):
        page.console.print(line, soft_wrap=True)


def _remember(folder: Path) -> None:
    """Makes the folder a workspace, whose progress is kept; one that cannot be written goes without."""
    from grader.workspace.place import Workspace

    with contextlib.suppress(OSError):  # the skeletons will say what is wrong
        Workspace.make(folder)


def _in_order(folder: Path) -> list[Path]:
    """The skeletons as the exercises build on each other."""
    from grader.exercises.registry import module_names

    place = {name: index for index, name in enumerate(module_names())}
    found = [p for p in folder.glob("*.py") if not p.name.startswith("_")]
    return sorted(found, key=lambda p: (place.get(p.stem, len(place)), p.name))
