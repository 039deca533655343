"""Reads a submission as text, and says in one sentence what is wrong with a file that cannot be used.

Nothing is executed here: syntax, unfinished TODOs and imports between exercises are found in the
syntax tree.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from grader.errors import SubmissionError
from grader.exercises.registry import Exercise, all_exercises, module_names
from grader.submission.decoding import parse_source
from grader.submission.files import Problem, SourceFile
from grader.submission.notebook import SUFFIX
from grader.submission.notebooks import Beside, modules_of, notebooks_beside
from grader.submission.reading import beginning_of, cannot_read, read_file, what_it_is
from grader.submission.renamed import Candidate, close_to, matched, named_in
from grader.text import Text

__all__ = ["Problem", "SourceFile", "Submission", "parse_source", "read_submission"]

MAX_TOTAL = 1 << 20  # of all helpers together: a request to the worker has room for this
MAX_FILES = 200
KINDS = (".py", SUFFIX)
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "venv", "site-packages"}


@dataclass(frozen=True)
class Submission:
    """Everything that was handed in: files by module name, and which exercises are to be graded.

    notes: what of a notebook was left out, which files were taken for an exercise, and which were not.
    """

    name: str
    files: dict[str, SourceFile]
    chosen: tuple[str, ...]
    notes: tuple[Text, ...] = ()

    def sources(self) -> dict[str, tuple[str, str]]:
        """What the worker needs: module name to (file name, text)."""
        return {m: (f.name, f.text) for m, f in self.files.items() if f.tree is not None}


def read_submission(path: Path, only: Collection[str] = (), *, may_be_empty: bool = False) -> Submission:
    """Reads a folder or a single file.

    Raises `SubmissionError` when there is nothing to read; a file that cannot be used is no error
    here but carries its `Problem`.
    """
    try:
        kind = "folder" if path.is_dir() else "file" if path.is_file() else "other"
        there = os.path.lexists(path)
    except OSError as error:
        raise cannot_read(path, error) from error
    if kind == "folder":
        return _read_folder(path, only, may_be_empty)
    if kind == "file":
        return _read_single(path, only)
    if there:
        why = what_it_is(path)
        raise SubmissionError(Text(f"{path} {why.en}", f"{path} {why.zh}"))
    raise SubmissionError(
        Text(
            f"there is no such file or folder: {path}; `grade init` makes a workspace",
            f"没有这个文件或文件夹：{path}；可用 `grade init` 建立练习目录",
        )
    )


# -- a folder ---------------------------------------------------------------------------------------


def _read_folder(folder: Path, only: Collection[str], may_be_empty: bool) -> Submission:
    beside = notebooks_beside(folder, _files_of(folder))
    if not may_be_empty:
        _add_renamed(folder, beside, only)
    ids = [name for name in module_names() if name in beside.files]
    chosen = tuple(name for name in module_names() if name in (only or ids))
    if not may_be_empty:
        if not set(chosen) & set(ids):
            raise SubmissionError(_nothing_in(folder, chosen or module_names(), beside))
        beside.refuse_double(chosen)
    notes = (*beside.notes, *(error.text for error in beside.unreadable.values()))
    return Submission(str(folder), beside.files, chosen, notes)


def _files_of(folder: Path) -> dict[str, SourceFile]:
    """The Python files of a folder; exercises first, so that a crowd of others cannot hide them."""
    try:
        found = sorted(p for p in folder.iterdir() if p.suffix == ".py" and p.stem.isidentifier())
    except OSError as error:
        raise cannot_read(folder, error) from error
    ids = module_names()
    found.sort(key=lambda p: p.stem not in ids)
    files: dict[str, SourceFile] = {}
    room = MAX_TOTAL
    for place in found[:MAX_FILES]:
        file = read_file(place, folder)
        if place.stem not in ids:
            room -= len(file.text)
            if room < 0:
                continue
        files[place.stem] = file
    return files


def _add_renamed(folder: Path, beside: Beside, only: Collection[str]) -> None:
    """Files that are meant to be an exercise, where it has none of its name; what they are taken for, and
    which are left aside, is told.  A helper that happens to define a name is no matter, unless that is asked
    for."""
    missing = [name for name in only or module_names() if name not in beside.files]
    places = {p.name: p for p in _listed(folder) if p.suffix.lower() == ".py"} if missing else {}
    for name in module_names():
        places.pop(f"{name}.py", None)
    candidates = [Candidate(name, p.stem, beginning_of(p)) for name, p in places.items() if p.is_file()]
    found = matched(candidates, missing)
    for name, one in found.taken.items():
        beside.files[name] = replace(read_file(places[one.name], folder), module=name)
    beside.notes += (found if only else replace(found, aside={})).notes()


def _nothing_in(folder: Path, wanted: Collection[str], beside: Beside) -> Text:
    """No exercise is here: where it may be, and what it should be called."""
    expected = ", ".join(f"{name}.py" for name in wanted)
    inside = _listed(folder)
    deeper = [p for p in inside if _has_exercise(p)]
    notebooks = [p.name for p in inside if p.suffix == ".ipynb"]
    named = [(p.name, _similar(p.stem)) for p in inside if p.suffix == ".py" and p.stem not in wanted]
    similar = [(name, close) for name, close in named if close in wanted and name != f"{close}.py"]
    text = Text(f"no exercise file in {folder}", f"{folder} 中没有练习文件")
    if len(wanted) == 1:
        text = Text(f"there is no {expected} in {folder}", f"{folder} 中没有 {expected}")
    else:
        text += Text(f": expected any of {expected}", f"：应有 {expected} 之一")
    if deeper:
        return text + Text(
            f"; did you mean --path {deeper[0]}?",
            f"；你是否想用 --path {deeper[0]}？",
        )
    for error in beside.unreadable.values():
        return text + Text(f"; {error.text.en}", f"；{error.text.zh}")
    if notebooks:
        return text + Text(
            f"; {notebooks[0]} defines none of their functions",
            f"；{notebooks[0]} 没有定义其中的函数",
        )
    if similar:
        name, close = similar[0]
        return text + Text(
            f"; there is {name}: rename it to {close}.py, or give the file itself",
            f"；其中有 {name}：请改名为 {close}.py，或直接给出这个文件",
        )
    return text + Text("; `grade init` makes a workspace", "；可用 `grade init` 建立练习目录")


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if not p.name.startswith("."))[:200]
    except OSError:
        return []


def _has_exercise(folder: Path) -> bool:
    try:
        return (
            folder.is_dir()
            and folder.name not in SKIPPED_FOLDERS
            and any((folder / f"{name}{kind}").is_file() for name in module_names() for kind in KINDS)
        )
    except OSError:
        return False


# -- a single file ----------------------------------------------------------------------------------


def _read_single(path: Path, only: Collection[str]) -> Submission:
    if path.suffix == SUFFIX:
        return _read_notebook(path, only)
    if path.suffix.lower() != ".py":
        raise SubmissionError(
            Text(
                f"{path} is not a Python file; give a folder, a .py file or a notebook",
                f"{path} 不是 Python 文件；请给出文件夹、.py 文件或 notebook",
            )
        )
    try:
        path.open("rb").close()
    except OSError as error:
        raise cannot_read(path, error) from error
    file = read_file(path, None)
    ids = _identities(file, path.stem)
    if not ids:
        expected = ", ".join(f"{name}.py" for name in only or module_names())
        why = file.problem.text if file.problem is not None else Text("", "")
        reason = Text(f" ({why.en})", f"（{why.zh}）") if why.en else why
        raise SubmissionError(
            Text(
                f"{path.name} is none of the exercises{reason.en}: expected {expected}, or a file that "
                "defines their functions",
                f"{path.name} 不属于任何练习{reason.zh}：应为 {expected}，或定义了其中函数的文件",
            )
        )
    files = notebooks_beside(path.parent, _files_of(path.parent)).files
    files.pop(path.stem, None)
    for identity in ids:
        files[identity] = replace(file, module=identity)
    return Submission(str(path), files, tuple(i for i in ids if i in only) or ids)


def _read_notebook(path: Path, only: Collection[str]) -> Submission:
    """The exercises of a notebook; what it imports from files and notebooks beside it is there as well."""
    found = modules_of(path)
    ids = tuple(found.files)
    if not ids:
        raise SubmissionError(
            Text(
                f"{path.name} defines none of the functions and classes of the exercises: give their names "
                "as in the skeletons, or tag a cell with the exercise, as in `grade:attention`",
                f"{path.name} 没有定义任何练习的函数或类：请按骨架命名，或给单元加上练习的标签，"
                "例如 `grade:attention`",
            )
        )
    files = notebooks_beside(path.parent, _files_of(path.parent), [path.name]).files
    return Submission(
        str(path), {**files, **found.files}, tuple(i for i in ids if i in only) or ids, found.notes
    )


def _identities(file: SourceFile, stem: str) -> tuple[str, ...]:
    """Which exercises a file is: by its name; else those that it defines; else by a similar name."""
    if stem in module_names():
        return (stem,)
    defined = set(file.defined())
    similar = _similar(stem)
    part = {e.id: _share(e, defined) for e in all_exercises()}
    if similar is not None and (part[similar] > 0 or not any(part.values())):
        return (similar,)
    whole = tuple(name for name, share in part.items() if share == 1)
    if whole:
        return whole
    best = max(part, key=lambda name: part[name])
    return (best,) if part[best] > 0 else ()


def _share(exercise: Exercise, defined: Collection[str]) -> float:
    return sum(e.name in defined for e in exercise.entries) / len(exercise.entries)


def _similar(stem: str) -> str | None:
    """The exercise that a file such as ``my_attention`` or ``Masks (1)`` is meant to be."""
    return max(named_in(stem), key=len, default=None) or close_to(stem)
