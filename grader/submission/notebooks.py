"""The notebooks of a submission, as files of exercises; and which of two files is meant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from grader.errors import AmbiguousError, SubmissionError
from grader.exercises.registry import exercise, module_names
from grader.submission.assembling import Assembled, assemble
from grader.submission.files import SourceFile
from grader.submission.notebook import SUFFIX, read_notebook
from grader.submission.places import Naming
from grader.text import Text

__all__ = ["Beside", "modules_of", "notebooks_beside"]

MAX_NOTEBOOKS = 20


def modules_of(path: Path) -> Assembled:
    """The exercises of one notebook.  Raises `SubmissionError` where it cannot be read."""
    return assemble(read_notebook(path), Naming(path.name, path.stem))


class Beside:
    """The notebooks of a folder, added to its files one after the other.

    files: by module; notes: what was left out; double: exercises that are in two places, with both names;
    unreadable: why a notebook cannot be used, by its name.
    """

    def __init__(self, files: Mapping[str, SourceFile]) -> None:
        self.files = dict(files)
        self.notes: list[Text] = []
        self.double: dict[str, tuple[str, str]] = {}
        self.unreadable: dict[str, SubmissionError] = {}

    def add(self, path: Path) -> None:
        """One more notebook; one that holds no exercise is somebody's notes, and no matter."""
        try:
            found = modules_of(path)
        except SubmissionError as error:
            self.unreadable[path.name] = error
            return
        self.notes += found.notes if found.files else ()
        for name, file in found.files.items():
            before = self.files.get(name)
            if before is None or not _written(before):
                self.files[name] = file
            elif _written(file):
                self.double.setdefault(name, (_called(before), path.name))

    def refuse_double(self, chosen: Collection[str]) -> None:
        """Raises `AmbiguousError` where nobody can know which of two is to be graded."""
        for name, (one, other) in self.double.items():
            if name in chosen:
                raise AmbiguousError(
                    Text(
                        f"{name} is in {one} and in {other}: remove it from one of them, or grade one file, "
                        f"as in `grade run {other}`",
                        f"{name} 同时在 {one} 和 {other} 中：请从其中一个删去，或只评一个文件，"
                        f"例如 `grade run {other}`",
                    )
                )


def notebooks_beside(folder: Path, files: Mapping[str, SourceFile], without: Sequence[str] = ()) -> Beside:
    """The files of a folder and those that its notebooks hold."""
    beside = Beside(files)
    try:
        found = sorted(p for p in folder.iterdir() if p.suffix == SUFFIX and not p.name.startswith("."))
    except OSError:  # the folder has been read a moment ago
        return beside
    ids = module_names()
    found.sort(key=lambda p: p.stem not in ids)
    for path in [p for p in found if p.name not in without][:MAX_NOTEBOOKS]:
        if path.is_file():
            beside.add(path)
    return beside


def _written(file: SourceFile) -> bool:
    """More than a skeleton: of two files the one that was worked on is meant."""
    if file.problem is not None:
        return file.problem.fault != "not-implemented"
    which = exercise(file.module)
    return not file.unfinished(which) or file.begun(which)


def _called(file: SourceFile) -> str:
    name, _ = file.place(None)
    return name or file.name
