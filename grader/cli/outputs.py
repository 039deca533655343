"""Where `grade run` puts its result besides the terminal: JSON, pages, JUnit, Markdown, GitHub."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.files import STDOUT, append, must_be_writable, must_differ, write_atomically, write_json
from grader.errors import UsageError
from grader.text import Text

if TYPE_CHECKING:
    from grader.marking.records import Report
    from grader.pictures.records import Pictures
    from grader.submission.launcher import Launcher
    from grader.submission.source import Submission

__all__ = ["Album", "Outputs", "output_options"]

FILE = click.Path(path_type=Path)


@dataclass(frozen=True)
class Outputs:
    """What the options ask for."""

    json: str | None = None
    html: Path | None = None
    junit: Path | None = None
    markdown: Path | None = None
    github: bool = False

    @property
    def json_only(self) -> bool:
        """Nothing but JSON goes to standard output."""
        return self.json == STDOUT

    def check(self) -> None:
        """Finds out before a long job whether all can be written.  Raises `UsageError`."""
        if self.github and self.json_only:
            raise UsageError(
                Text(
                    "--github writes commands to standard output, where --json - allows nothing but JSON: "
                    "give --json a file",
                    "--github 会向标准输出写入命令，而 --json - 只允许输出 JSON：请为 --json 指定文件",
                )
            )
        for _, path in self._files():
            must_be_writable(path)
        must_differ(dict(self._files()))

    def write(self, report: Report, pictures: Pictures | None, language: str, folder: Path) -> None:
        """Writes every file that was asked for; `folder`: where the learner's files are."""
        from grader.reports.places import relative_to

        if self.json is not None:
            from grader.reports.json_report import as_json

            write_json(as_json(report, language), self.json)
        report = _titled(report, folder)
        if self.html is not None:
            from grader.reports.html import render_report_page

            write_atomically(self.html, render_report_page(report, pictures, language))
        if self.junit is not None:
            from grader.reports.junit import as_junit

            write_atomically(self.junit, as_junit(report, language, relative_to(folder, Path())))
        if self.markdown is not None:
            from grader.reports.markdown import as_markdown

            write_atomically(self.markdown, as_markdown(report, language))

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """While a report is printed, nothing in it can be a command to GitHub.

        After an error commands stay stopped: the sentence that is printed then may hold a file's name.
        """
        if not self.github:
            yield
            return
        import secrets

        from grader.reports.github import resume_commands, stop_commands

        token = secrets.token_hex(16)
        click.echo(stop_commands(token))
        yield
        click.echo(resume_commands(token))

    def annotate(self, report: Report, language: str, folder: Path) -> None:
        """Annotations of the learner's lines, and the summary of the step, for GitHub."""
        if not self.github:
            return
        from grader.reports.github import annotation_lines
        from grader.reports.places import relative_to

        root = Path(os.environ.get("GITHUB_WORKSPACE") or ".")
        for line in annotation_lines(report, language, relative_to(folder, root)):
            click.echo(line)
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if summary:
            from grader.reports.markdown import as_markdown

            append(Path(summary), as_markdown(_titled(report, folder), language) + "\n")

    def _files(self) -> Iterator[tuple[str, Path]]:
        if self.json is not None and not self.json_only:
            yield "--json", Path(self.json)
        for option, path in (("--html", self.html), ("--junit", self.junit), ("--markdown", self.markdown)):
            if path is not None:
                yield option, path


def _titled(report: Report, folder: Path) -> Report:
    """The report under the name of its folder, where it was given as the folder that one is in."""
    here = report.submission in (".", "")
    return replace(report, submission=folder.absolute().name or ".") if here else report


@dataclass
class Album:
    """What is drawn after grading, while workers can still be started; nothing unless a page is wanted."""

    wanted: bool
    pictures: Pictures | None = None

    def draw(
        self,
        submission: Submission,
        launcher: Launcher,
        report: Report,
        budget: Mapping[str, float],
        *,
        with_reference: bool = False,
    ) -> None:
        """Runs the small examples of the exercises that were graded."""
        if self.wanted:
            from grader.pictures.drawing import draw

            self.pictures = draw(submission, launcher, report, budget, with_reference=with_reference)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command, which gets what was given as `outputs`."""

    @functools.wraps(command)
    def with_outputs(
        *args: Any,
        json_to: str | None,
        html: Path | None,
        junit: Path | None,
        markdown: Path | None,
        github: bool,
        **others: Any,
    ) -> Any:
        return command(*args, outputs=Outputs(json_to, html, junit, markdown, github), **others)

    options = (
        click.option(
            "--json", "json_to", metavar="FILE|-", help="Write the result as JSON; - prints only that."
        ),
        click.option("--html", type=FILE, metavar="FILE", help="Write a page with pictures."),
        click.option("--junit", type=FILE, metavar="FILE", help="Write JUnit XML."),
        click.option("--markdown", type=FILE, metavar="FILE", help="Write Markdown."),
        click.option("--github", is_flag=True, help="Annotate lines in GitHub Actions."),
    )
    for option in reversed(options):
        with_outputs = option(with_outputs)
    return with_outputs
