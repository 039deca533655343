"""`check`: grades an exercise of the notebook that is running, and shows the report below the cell."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field
from typing import Any

from grader.errors import GraderError, Interrupted, UsageError
from grader.text import LANGUAGES, Text, language_of_environment

__all__ = ["Checked", "Stopped", "check"]


@dataclass(frozen=True, repr=False)
class Checked:
    """What came of it: a notebook shows it as HTML, everything else as text.

    status: as in the JSON of `grade run`, or ``none`` where nothing could be graded; report: that JSON.
    """

    exercise: str
    passed: bool
    score: float
    max_score: float
    status: str
    report: dict[str, Any] = field(default_factory=dict)
    _html: str = ""
    _text: str = ""

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self._html, "text/plain": self._text}


class Stopped(KeyboardInterrupt):
    """Grading was interrupted.  Still a `KeyboardInterrupt`, so that no further cell is run; a notebook
    shows one line of it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def _render_traceback_(self) -> list[str]:
        return [self.text]


def check(exercise: str, *, lang: str | None = None) -> Checked:
    """Grade an exercise as it is defined in the running notebook: ``check("attention")``.

    The functions and classes are taken from the cells that defined them last, and run in a process of
    their own.  The result has `passed`, `score`, `max_score`, `status` and `report`; at the end of a cell
    it shows itself.
    """
    language = lang if lang in LANGUAGES else language_of_environment()
    try:
        return _graded(exercise, language)
    except KeyboardInterrupt:
        stopped = Text("grading was stopped; run the cell again", "评分已中止；请重新运行这个单元")
        raise Stopped(Interrupted(stopped).text.in_(language)) from None
    except GraderError as error:
        return _nothing(str(exercise), error.text, language)


def _graded(exercise: str, language: str) -> Checked:
    from grader.notebook.kernel import running_notebook, running_shell
    from grader.notebook.process import shared_process

    if not isinstance(exercise, str):
        raise UsageError(
            Text(
                'give the name of the exercise, as in check("attention")',
                '请给出练习的名称，例如 check("attention")',
            )
        )
    shell = running_shell()
    if shell is None:
        raise UsageError(
            Text(
                "check() grades a notebook that is running; for a file use `grade run FILE` in a terminal",
                "check() 用于正在运行的 notebook；评分文件请在终端中使用 `grade run FILE`",
            )
        )
    notebook = running_notebook(shell)
    reply = shared_process().ask(
        {
            "exercise": exercise,
            "cells": notebook.cells,
            "live": notebook.live,
            "folder": os.getcwd(),
            "lang": language,
        }
    )
    if "error" in reply:
        raise UsageError(Text(*reply["error"]))
    return Checked(
        reply["exercise"],
        reply["passed"],
        reply["score"],
        reply["max_score"],
        reply["status"],
        reply["report"],
        reply["html"],
        reply["text"],
    )


def _nothing(exercise: str, text: Text, language: str) -> Checked:
    """Why nothing was graded, in the same dress; without jinja2, which a kernel need not load."""
    words = text.in_(language)
    style = "border-left:4px solid #a86c00;padding:0.2em 0 0.2em 0.9em;margin:0.4em 0;max-width:46em;"
    style += "line-height:1.5;font-family:system-ui,sans-serif"
    shown = f'<div style="{style}">{html.escape(words)}</div>'
    return Checked(exercise, False, 0.0, 0.0, "none", {}, shown, words)
