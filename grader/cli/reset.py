"""`grade reset`: back to the skeleton, with a backup."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.language import Page, language_option, open_page
from grader.cli.workspaces import named, path_option, workspace_at
from grader.text import Text

__all__ = ["reset"]


@click.command(short_help="Put a skeleton back; a backup is kept.")
@click.argument("exercises", nargs=-1, required=True, metavar="EXERCISE...")
@path_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@language_option
@click.pass_context
def reset(
    context: click.Context,
    exercises: tuple[str, ...],
    path: Path | None,
    yes: bool,
    lang: str | None,
    no_color: bool,
) -> None:
    """Put the skeleton of an exercise back in its place: the file, or its cells in your notebook.

    What you had written is kept in .grade/backups, and the command says under which name. On a terminal it
    asks first.
    """
    from grader.workspace.resetting import called, place_of, reset_to_skeleton

    page = open_page(lang, no_color)
    names = named(exercises)
    workspace = workspace_at(path)
    asked = not yes and sys.stdin.isatty() and page.console.is_terminal
    if asked and not _confirmed([called(name, place_of(workspace, name)) for name in names], page):
        words = Text("Nothing was changed.", "没有任何改动。")
        page.console.print(words.in_(page.language), soft_wrap=True)
        context.exit(1)
    for name in names:
        done = reset_to_skeleton(workspace, name)
        page.console.print(done.words().in_(page.language), soft_wrap=True)


def _confirmed(what: list[Text], page: Page) -> bool:
    listed = Text.join(what)
    words = Text(
        f"Put {listed.en} back to the skeleton? A backup is kept.",
        f"把 {listed.zh} 恢复成骨架吗？会保留备份。",
    )
    return click.confirm(words.in_(page.language))
