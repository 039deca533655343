"""The feedback page of one student: the report, and the mark by the rules of the course."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from jinja2 import Template

from grader.course.records import Mark
from grader.marking.records import Report
from grader.pictures.records import Pictures
from grader.reports.feedback import mark_lines, who
from grader.reports.html.environment import page_environment
from grader.reports.html.page import render_report_page

__all__ = ["render_feedback_page"]

NOTHING = Report("", "", "", "", "", ())


def render_feedback_page(mark: Mark, report: Report | None, sources: Mapping[str, str], language: str) -> str:
    """The page as text.  sources: the learner's files by name, for the lines that a mistake names."""
    return render_report_page(
        report or NOTHING,
        Pictures(sources=sources),
        language,
        template=_template(language),
        who=who(mark),
        mark=mark,
        lines=mark_lines(mark),
    )


@functools.cache
def _template(language: str) -> Template:
    """Compiled once: a class has many pages."""
    return page_environment(language).get_template("feedback.html.j2")
