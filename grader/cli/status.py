"""`grade status`: how far you are, and which mistakes came back."""

from __future__ import annotations

import time
from pathlib import Path

import click

from grader.cli.files import STDOUT, must_be_writable, write_json
from grader.cli.language import language_option, open_page
from grader.cli.workspaces import changed_since, path_option, progress_in, workspace_at

__all__ = ["status"]


@click.command(short_help="Show your progress and your mistakes.")
@path_option
@click.option("--json", "json_to", metavar="FILE|-", help="Write it as JSON; - prints only that.")
@language_option
def status(path: Path | None, json_to: str | None, lang: str | None, no_color: bool) -> None:
    """Show what is passed, attempts, time, hints, and the mistakes made so far.

    A mistake that came back in a later exercise comes first. Nothing is graded.
    """
    from grader.reports.paper import Paper
    from grader.reports.status import status_page
    from grader.reports.status_json import status_json
    from grader.reports.terminal import print_lines

    page = open_page(lang, no_color, to_stderr=json_to == STDOUT)
    if json_to is not None and json_to != STDOUT:
        must_be_writable(Path(json_to))
    workspace = workspace_at(path)
    progress = progress_in(workspace)
    changed = changed_since(workspace, progress)
    if json_to is not None:
        write_json(status_json(progress, page.language, changed), json_to)
        if json_to == STDOUT:
            return
    paper = Paper.on(page.console, page.language, workspace.folder)
    print_lines(status_page(progress, paper, time.time(), changed), page.console)
