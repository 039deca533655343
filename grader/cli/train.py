"""`grade train`: the learner's own model learns a toy task, and is judged by how it learns."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from grader.cli.files import STDOUT, must_be_writable, write_atomically, write_json
from grader.cli.language import language_option, open_page
from grader.cli.limits import limit_options
from grader.text import Text

__all__ = ["train"]

NAMES = ("copy", "reverse", "progressions")  # of `grader.learning.tasks`, which imports torch


@click.command(short_help="Train your own model on a toy task, and see how it learns.")
@click.argument("task", required=False, type=click.Choice(NAMES), metavar="[copy|reverse|progressions]")
@click.option("--path", type=click.Path(path_type=Path), help="The folder to look in (otherwise here).")
@click.option("--seed", type=click.IntRange(0, 1 << 20), default=0, help="Another draw of weights and data.")
@click.option("--json", "json_to", metavar="FILE|-", help="Write the result as JSON; - prints only that.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with the curves.")
@click.option("--with-reference", is_flag=True, help="Use the kit's own file for one that cannot be used.")
@limit_options
@language_option
@click.pass_context
def train(
    context: click.Context,
    task: str | None,
    path: Path | None,
    seed: int,
    json_to: str | None,
    html: Path | None,
    with_reference: bool,
    budget: dict[str, float],
    lang: str | None,
    no_color: bool,
) -> None:
    """Train your own TinyTransformer with your own training step, and judge how it learns.

    \b
    grade train            all three tasks
    grade train reverse    one of them

    It needs tiny_transformer.py, training.py and what they import. What is learnt is tested on sequences
    that were not trained on. The exit code is 0 when every task is learnt, 1 when not, and 2 when nothing
    can be trained.
    """
    to_stdout = json_to == STDOUT
    page = open_page(lang, no_color, to_stderr=to_stdout)
    for place in (html, Path(json_to) if json_to is not None and not to_stdout else None):
        if place is not None:
            must_be_writable(place)
    from grader.submission.source import read_submission

    submission = read_submission(path or Path(), may_be_empty=True)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    from grader.submission.launcher import default_launcher

    # the zygote imports torch on another core while we do
    with default_launcher() as launcher, _bar(page.language) as progress:
        from grader.learning.run import train as learn
        from grader.learning.tasks import TASKS

        tasks = [t for name, t in TASKS.items() if task in (None, name)]
        found = learn(
            submission,
            launcher,
            tasks,
            seed=seed,
            budget=budget,
            with_reference=with_reference,
            progress=progress,
        )
    if json_to is not None:
        from grader.reports.train_json import learning_as_json

        write_json(learning_as_json(found, page.language), json_to)
    if html is not None:
        from grader.reports.html.train_page import render_training_page

        write_atomically(html, render_training_page(found, page.language))
    if not to_stdout:
        from grader.reports.paper import Paper
        from grader.reports.train import render_learning

        for line in render_learning(found, Paper.on(page.console, page.language)):
            page.console.print(line)
    context.exit(0 if found.learnt else 1)


@contextmanager
def _bar(language: str) -> Iterator[Callable[[str, int, int, float], None]]:
    """A bar on standard error while it learns; on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda task, step, steps, loss: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from grader.reports.output import make_console

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[loss]}"),
    )
    words = Text("loss", "损失").in_(language)
    # without a thread of its own: workers are forked while it is shown
    with Progress(*columns, console=make_console(sys.stderr), transient=True, auto_refresh=False) as shown:
        bars = {name: shown.add_task(name, total=None, start=False, visible=False, loss="") for name in NAMES}

        def step(task: str, done: int, steps: int, loss: float) -> None:
            said = "" if math.isnan(loss) else f"{words} {loss:.3f}"
            shown.update(bars[task], completed=done, total=steps, loss=said, visible=True)
            shown.refresh()

        yield step
