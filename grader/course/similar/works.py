"""The exercise files of submissions, as text."""

from __future__ import annotations

import tempfile
from pathlib import Path

from grader.course.contents import read_contents
from grader.course.grading import laid_out, without_folder
from grader.course.handed import Handed
from grader.course.similar.records import Missed, Work
from grader.errors import SubmissionError
from grader.exercises.registry import module_names
from grader.submission.files import SourceFile
from grader.submission.source import read_submission
from grader.text import Text

__all__ = ["given_works", "works_of"]


def works_of(handed: Handed) -> tuple[list[Work], list[Missed]]:
    """One for each exercise that is there, and what cannot be compared.  Nothing is run."""
    student = handed.student
    contents = read_contents(handed)
    if contents.problem is not None:
        return [], [Missed(student, None, contents.problem)]
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            found = read_submission(laid_out(contents, folder))
        except SubmissionError as error:
            return [], [Missed(student, None, without_folder(error.text, folder))]
    works: list[Work] = []
    missed: list[Missed] = []
    for exercise in module_names():
        file = found.files.get(exercise)
        if file is None:
            continue
        why = _nothing(file)
        if why is None:
            works.append(Work(student, exercise, file.name, file.text))
        elif not any(m.file == file.name for m in missed):  # a notebook stands for several exercises
            missed.append(Missed(student, file.name, why))
    return works, missed


def _nothing(file: SourceFile) -> Text | None:
    """Why there is nothing to compare in a file."""
    fault = file.problem.fault if file.problem is not None else ""
    if file.problem is not None and fault == "unreadable-file":
        return file.problem.text
    if not file.text.strip() or (file.tree is None and fault == "not-implemented"):
        return Text(f"{file.name} holds no code", f"{file.name} 中没有代码")
    return None


def given_works(place: Path) -> list[Work]:
    """What everybody was given: a folder or a file; its code counts for every exercise."""
    kind = "folder" if place.is_dir() else "file"
    contents = read_contents(Handed("given", None, place, kind))
    texts = [(name, data.decode("utf-8", errors="replace")) for name, data in contents.files]
    return [
        Work(f"given {number}", exercise, name, text)
        for exercise in module_names()
        for number, (name, text) in enumerate(texts)
    ]
