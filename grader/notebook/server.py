"""Grades what a kernel sends, in a warm session: reads requests, one line of JSON each, until the end."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from grader.cli.gate import interview_at, waits
from grader.cli.targets import find_exercises
from grader.errors import GraderError, SubmissionError, UsageError
from grader.exercises.registry import exercise, module_names
from grader.marking.records import Report
from grader.notebook.page import cell_html
from grader.reports.json_report import report_object
from grader.reports.output import make_console
from grader.reports.terminal import print_report
from grader.submission.assembling import assemble
from grader.submission.notebook import Cell
from grader.submission.places import Naming
from grader.submission.source import Submission, read_submission
from grader.text import Text

__all__ = ["answer", "main", "submission_of"]

WIDTH = 88


def main() -> None:
    """Serves the kernel on standard input and output; what anything else prints goes elsewhere."""
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)
        from grader.marking.session import Session
        from grader.submission.launcher import default_launcher

        # the zygote imports torch on another core while we do
        with default_launcher() as launcher, Session(launcher, prompt=True) as session:
            for line in sys.stdin.buffer:
                reply = answer(json.loads(line), session)
                replies.write(json.dumps(reply).encode() + b"\n")
                replies.flush()
                session.rest()


def answer(request: dict[str, Any], session: Any) -> dict[str, Any]:
    """The reply to one request; an error is a sentence in both languages."""
    try:
        running = interview_at(Path(request["folder"]))
        if running is not None and not running[1].is_over(time.time()):
            raise waits("check()", running[1])
        submission = submission_of(request)
        report = session.grade(submission, only=[request["exercise"]])
    except GraderError as error:
        return {"error": [error.text.en, error.text.zh]}
    except Exception as error:  # noqa: BLE001 (the last gate before the user)
        from grader.cli.crash import crash

        found = crash(error)
        return {"error": [found.text.en, found.text.zh]}
    from grader.workspace.runs import record_report

    record_report(submission, report, Path(request["folder"]), "notebook")
    return _shown(report, request["lang"])


def submission_of(request: dict[str, Any]) -> Submission:
    """The cells of a request as a submission; files and notebooks beside it may be imported from."""
    (name,) = find_exercises([request["exercise"]], module_names())
    cells = [Cell(number, source) for number, source in request["cells"]]
    found = assemble(cells, Naming(None, name), request["live"])
    file = found.files.get(name)
    if file is None or not file.text.strip():
        raise _not_defined(name)
    try:
        beside = read_submission(Path(request["folder"]), may_be_empty=True).files
    except SubmissionError:  # a folder that is gone, or may not be read: the notebook is enough
        beside = {}
    return Submission("", {**beside, **found.files}, (name,), found.notes)


def _not_defined(name: str) -> UsageError:
    wanted = ", ".join(e.name for e in exercise(name).entries)
    return UsageError(
        Text(
            f"{name} ({wanted}) is not defined in this notebook yet: write it, run its cell, "
            "and then this one",
            f"当前 notebook 中尚未定义 {name}（{wanted}）：请先写好并运行它的单元，再运行本单元",
        )
    )


def _shown(report: Report, language: str) -> dict[str, Any]:
    result = report.exercises[0]
    return {
        "exercise": result.id,
        "passed": result.passed,
        "status": result.status,
        "score": result.score,
        "max_score": result.max_score,
        "report": report_object(report, language),
        "html": cell_html(report, language),
        "text": _text(report, language),
    }


def _text(report: Report, language: str) -> str:
    """The report as a terminal shows it: what a notebook without HTML, or a screen reader, gets."""
    stream = io.StringIO()
    print_report(report, make_console(stream, color=False, width=WIDTH), language)
    return "\n".join(line.rstrip() for line in stream.getvalue().strip("\n").split("\n"))
