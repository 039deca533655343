"""`grade similar`: submissions that are alike beyond what the exercises make alike."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.language import language_option, open_page
from grader.errors import UsageError
from grader.text import Text

__all__ = ["similar"]

PATH = click.Path(path_type=Path)


@click.command(short_help="Find submissions that are alike.")
@click.argument("folder", type=PATH, metavar="DIR")
@click.option("--out", type=PATH, metavar="FILE.html", help="Write a page with the pairs side by side.")
@click.option("--json", "json_to", metavar="FILE|-", help="Write all pairs as JSON; - prints only that.")
@click.option(
    "--threshold",
    type=click.IntRange(40, 100),
    default=65,
    show_default=True,
    help="How much must be the same, in percent, of what is not the same in everybody's.",
)
@click.option("--given", type=PATH, help="Code that all were given: a file or folder; it does not count.")
@click.option("--mapping", type=PATH, help="A CSV that says whose an entry is: submission,student,...")
@click.option("--anonymous", is_flag=True, help="Pseudonyms for names; no comments in the code shown.")
@language_option
def similar(
    folder: Path,
    *,
    out: Path | None,
    json_to: str | None,
    threshold: int,
    given: Path | None,
    mapping: Path | None,
    anonymous: bool,
    lang: str | None,
    no_color: bool,
) -> None:
    """Find submissions in DIR that are alike, whatever names, comments and formatting they have.

    What the exercise gives, and what many solutions hold anyway, does not count. The result is a reason
    to look, not a verdict.
    """
    from grader.cli.files import STDOUT, must_be_writable, must_differ, write_atomically, write_json
    from grader.course.intake import find_submissions
    from grader.course.similar.among import similar_among
    from grader.course.similar.lines import as_json, place_words, similar_lines
    from grader.course.similar.page import render_similar_page
    from grader.reports.paper import Paper
    from grader.reports.terminal import print_lines

    page = open_page(lang, no_color, to_stderr=json_to == STDOUT)
    for path in (out, Path(json_to) if json_to not in (None, STDOUT) else None):
        if path is not None:
            must_be_writable(path)
    must_differ({"--out": out, "--json": json_to, "--mapping": mapping, "--given": given})
    if given is not None and not given.exists():
        raise UsageError(Text(f"there is no such file or folder: {given}", f"没有这个文件或文件夹：{given}"))
    handed = find_submissions(folder, mapping)
    secret = None
    if anonymous:
        import secrets

        secret = secrets.token_hex(16)
    found = similar_among(handed, given, share=threshold / 100, sides=out is not None, secret=secret)
    if out is not None:
        write_atomically(out, render_similar_page(found, page.language))
    if json_to is not None:
        write_json(as_json(found), json_to)
    paper = Paper.on(page.console, page.language)
    print_lines([*similar_lines(found, paper)], page.console)
    if out is not None:
        page.console.print(place_words(found, str(out)).in_(page.language), soft_wrap=True)
