"""A sign of life while torch is being imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from grader.text import Text

__all__ = ["busy"]


@contextmanager
def busy(language: str) -> Iterator[None]:
    """Says that something is being graded; on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from grader.reports.output import make_console

    words = Text("grading", "正在评分").in_(language)
    with make_console(sys.stderr).status(words, spinner="line"):
        yield
