"""Grades one submission out of its bytes; knows nothing of the store, of other submissions, of students."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from grader.course.contents import Contents
from grader.course.records import Graded
from grader.course.settings import GradingSettings
from grader.errors import KitError, SubmissionError
from grader.exercises.registry import module_names
from grader.marking.records import Report
from grader.submission.source import Submission, read_submission
from grader.text import Text

__all__ = ["Grades", "grade_one", "laid_out", "not_graded", "without_folder"]


class Grades(Protocol):
    """What is needed of a `grader.marking.session.Session`."""

    def grade(self, submission: Submission, *, only: tuple[str, ...]) -> Report: ...


def grade_one(contents: Contents, settings: GradingSettings, session: Grades) -> Graded:
    """Never raises for what is in the submission, nor for a fault of the kit: both are a `Graded`."""
    started = time.perf_counter()
    if contents.problem is not None:
        return Graded(None, contents.problem, contents.by_kit, 0.0)
    problem: Text | None = None
    report: Report | None = None
    by_kit = False
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            read = read_submission(laid_out(contents, folder), settings.exercises)
            submission = replace(read, chosen=settings.exercises)  # what is missing earns nothing
            report = replace(session.grade(submission, only=settings.exercises), submission="")
        except SubmissionError as error:
            problem = without_folder(error.text, folder)
        except KitError as error:
            problem, by_kit = error.text, True
        except Exception as error:  # noqa: BLE001  a fault of the kit is recorded, and the run goes on
            words = f"{type(error).__name__}: {error}"
            problem, by_kit = Text(f"a fault of the kit: {words}", f"评分工具自身的错误：{words}"), True
    return Graded(report, problem, by_kit, round(time.perf_counter() - started, 4))


def not_graded(why: Text, seconds: float = 0.0) -> Graded:
    """A submission that the kit has failed to grade."""
    return Graded(None, why, True, seconds)


def laid_out(contents: Contents, folder: Path) -> Path:
    """The files in a folder of their own: that folder, or the only file where no name is an exercise's."""
    for name, data in contents.files:
        (folder / Path(name).name).write_bytes(data)
    for name in contents.links:
        with contextlib.suppress(OSError):  # stays a link to elsewhere: whoever reads it says so
            (folder / Path(name).name).symlink_to(os.sep)
    names = [Path(name) for name, _ in contents.files]
    alone = len(names) == 1 and names[0].suffix == ".py" and not contents.links
    return folder / names[0].name if alone and names[0].stem not in module_names() else folder


def without_folder(text: Text, folder: Path) -> Text:
    """The sentence without the name of our own folder, nor the spaces that Chinese puts around a path."""
    whole, inside = str(folder), f"{folder}{os.sep}"
    en = text.en.replace(inside, "").replace(whole, "what was handed in")
    zh = re.sub(rf" ?{re.escape(whole)} ?", "提交的内容", text.zh.replace(inside, ""))
    return Text(en, zh)
