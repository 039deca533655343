"""The option ``--lang`` and the other options that commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.text import LANGUAGES, language_of_environment

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Page", "asked_language", "language_option", "open_page"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Page:
    """Where a command prints, and in which language."""

    console: Console
    language: str


def language_option(command: F) -> F:
    """Adds ``--lang`` and ``--no-color``."""
    language = click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        help="Language of the report (otherwise that of the environment).",
    )
    plain = click.option("--no-color", is_flag=True, help="No colours.")
    return language(plain(command))


def open_page(lang: str | None, no_color: bool, *, to_stderr: bool = False) -> Page:
    """The console and the language that its stream can show."""
    from grader.reports.output import make_console, usable_language

    stream = sys.stderr if to_stderr else sys.stdout
    language = usable_language(lang or language_of_environment(), lang is not None, stream)
    return Page(make_console(stream, color=False if no_color else None), language)


def asked_language(arguments: Sequence[str]) -> str | None:
    """What ``--lang`` says on a command line that could not be run: errors keep to it as well."""
    for index, word in enumerate(arguments):
        name, _, value = word.partition("=")
        if name == "--lang":
            value = value or "".join(arguments[index + 1 : index + 2])
            return value if value in LANGUAGES else None
    return None
