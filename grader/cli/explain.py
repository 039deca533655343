"""`grade explain`: what a mistake is and why it is wrong, with a demonstration computed on the spot."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import click

from grader.cli.language import Page, language_option, open_page

if TYPE_CHECKING:
    from grader.reports.paper import Paper

__all__ = ["explain", "explain_page"]


@click.command(short_help="Explain a mistake, with numbers.")
@click.argument("names", nargs=-1, metavar="[FAULT|EXERCISE]")
@language_option
def explain(names: tuple[str, ...], lang: str | None, no_color: bool) -> None:
    """Explain what a mistake is and why it is wrong, with a small computation that shows it.

    \b
    grade explain                   all mistakes, by exercise
    grade explain layer_norm        those of one exercise
    grade explain missing-scale     one of them
    grade explain attention-memory  what attention costs
    """
    from grader.exercises.registry import module_names

    page = open_page(lang, no_color)
    gc.disable()  # looking for cycles in what torch loads takes a tenth of a second, and finds none
    if not names:
        _overview(page)
    for number, name in enumerate(names):
        if number:
            page.console.print()
        if name in module_names():
            _listed(page, name)
        else:
            explain_page(page, name)


def explain_page(page: Page, fault_id: str, exercise: str | None = None) -> None:
    """Prints one explanation on a page; `exercise`: in whose words, where several have some.

    Raises `UsageError` for an id that there is not.
    """
    from grader.explaining.run import explain as explained
    from grader.reports.explain import render_explanation

    found = explained(fault_id, exercise)
    for line in render_explanation(found, _paper(page)):
        page.console.print(line)


def _overview(page: Page) -> None:
    from grader.exercises.registry import module_names
    from grader.exercises.texts import fault_texts
    from grader.explaining.catalogue import TOPICS
    from grader.explaining.where import faults_of
    from grader.reports.explain import overview
    from grader.text import Text

    tables = {name: faults_of(name) for name in module_names()}
    common = Text("every exercise", "每个练习").in_(page.language)
    tables[common] = tuple(fault_texts("common"))
    for line in overview(tables, [t.id for t in TOPICS], _paper(page)):
        page.console.print(line)


def _listed(page: Page, exercise: str) -> None:
    from grader.explaining.run import titles
    from grader.reports.explain import listed

    for line in listed(exercise, titles(exercise), _paper(page)):
        page.console.print(line)


def _paper(page: Page) -> Paper:
    from grader.reports.paper import Paper

    return Paper.on(page.console, page.language)
