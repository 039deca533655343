"""The exercise files of submissions, as text."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.course.contents import read_contents
from grader.course.grading import laid_out
from grader.course.handed import Handed
from grader.course.similar.records import Work
from grader.errors import SubmissionError
from grader.exercises.registry import module_names
from grader.submission.source import read_submission

__all__ = ["given_works", "works_of"]


def works_of(submissions: Iterable[Handed]) -> Iterator[Work]:
    """One for each exercise that is there; what cannot be read is left out, and nothing is run."""
    for handed in submissions:
        contents = read_contents(handed)
        if contents.problem is not None or not contents.files:
            continue
        with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
            try:
                found = read_submission(laid_out(contents, Path(folder)))
            except SubmissionError:
                continue
        for name in module_names():
            file = found.files.get(name)
            if file is not None and file.text.strip():
                yield Work(handed.student, name, file.name, file.text)


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
