"""`grade verify`: proves the kit's own exercises."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from grader.cli.language import language_option, open_page
from grader.text import Text

__all__ = ["verify"]

EVERY = 10**9


@click.command(short_help="Prove the kit's own exercises.")
@click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")
@click.option("--pairs", is_flag=True, help="Prove pairs of faults as well: an hour and more for all.")
@click.option("--at-most", type=click.IntRange(1), help="With --pairs: so many pairs of each exercise.")
@click.option("--json", "json_to", metavar="FILE|-", help="Write the proofs as JSON; - prints only that.")
@click.option("--compile", "compiling", is_flag=True, help="First compile the rooms anew (see CONTRIBUTING).")
@language_option
@click.pass_context
def verify(
    context: click.Context,
    exercises: tuple[str, ...],
    *,
    compiling: bool,
    pairs: bool,
    at_most: int | None,
    json_to: str | None,
    lang: str | None,
    no_color: bool,
) -> None:
    """Prove that the exercises of the kit hold what they promise; for those who add to them.

    The solution passes, the skeleton does not; every known mistake shows, is diagnosed as itself, is told
    apart from every other, and has its texts in both languages.

    \b
    grade verify            every exercise
    grade verify attention  one of them
    """
    from grader.cli.files import STDOUT, must_be_writable, write_json
    from grader.cli.targets import find_exercises
    from grader.exercises.registry import load_room, module_names
    from grader.reports.paper import Paper
    from grader.reports.terminal import print_lines
    from grader.reports.verify import page as verify_page
    from grader.reports.verify_json import as_json

    to_stdout = json_to == STDOUT
    page = open_page(lang, no_color, to_stderr=to_stdout)
    if json_to is not None and not to_stdout:
        must_be_writable(Path(json_to))
    ids = find_exercises(exercises, module_names())
    if compiling:
        from grader.verifying.compiling import compile_rooms

        compile_rooms(ids)
    with _progress(page.language) as progress:
        from grader.verifying.run import verify as prove

        proofs = prove(ids, most_pairs=(at_most or EVERY) if pairs else 0, progress=progress)
    synonyms = {name: load_room(name).catalogue.synonyms for name in ids}
    if json_to is not None:
        write_json(as_json(proofs, synonyms, page.language), json_to)
    paper = Paper.on(page.console, page.language)
    print_lines(verify_page(proofs, sum(map(len, synonyms.values())), paper), page.console)
    context.exit(0 if all(p.holds for p in proofs) else 1)


@contextmanager
def _progress(language: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal; without a thread of its own, since the proofs fork."""
    if not sys.stderr.isatty():
        yield lambda done, of, what: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from grader.reports.output import make_console

    words = Text("proving", "正在验证").in_(language)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=make_console(sys.stderr), transient=True, auto_refresh=False) as shown:
        task = shown.add_task(words)

        def report(done: int, of: int, what: str) -> None:
            shown.update(task, completed=done, total=of, description=f"{words} {what}", refresh=True)

        yield report
