"""The report that a learner reads in the terminal: calm, short, the most important first."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text as Styled

from grader.marking.records import ExerciseResult, Report
from grader.reports.device import device_lines
from grader.reports.holding import holding_lines
from grader.reports.paper import Paper
from grader.reports.sections import notes, section, still_open, to_do
from grader.reports.summary import closing, head, table

__all__ = ["print_lines", "print_report", "render"]


def render(report: Report, paper: Paper) -> list[RenderableType]:
    """The whole report, from top to bottom."""
    page: list[RenderableType] = [*head(report, paper), Styled(), table(report, paper)]
    waiting = [e for e in report.exercises if still_open(e)]
    page += notes([e for e in report.exercises if not _worth_telling(e)], paper)
    for result in report.exercises:
        if result not in waiting and _worth_telling(result):
            page += [Styled(), *section(result, paper)]
    if waiting:
        page += [Styled(), *to_do(waiting, paper)]
    page += holding_lines(report.exercises, paper)
    page += device_lines(report.device, paper) if report.device is not None else []
    return [*page, Styled(), *closing(report, paper)]


def print_report(report: Report, console: Console, language: str = "en", folder: Path | None = None) -> None:
    """Prints the report on a console made by `grader.reports.output.make_console`."""
    print_lines(render(report, Paper.on(console, language, folder)), console)


def print_lines(page: list[RenderableType], console: Console) -> None:
    """Prints lines that are already broken."""
    for part in page:
        console.print(part, overflow="fold" if isinstance(part, Styled) else None)


def _worth_telling(result: ExerciseResult) -> bool:
    return not result.passed or result.score < result.max_score or bool(result.printed.strip())
