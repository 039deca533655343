"""Finds the submissions in a folder, as the platforms lay them out when one downloads them.

==========================  =====================================================================
Moodle                      ``Ada Lovelace_12345_assignsubmission_file_/``, or files with that before them
Canvas                      ``lovelaceada_12345_67890_attention.py``, ``lovelaceada_LATE_12345_...``
Gradescope                  ``submission_123456/`` and ``submission_metadata.yml``
GitHub Classroom            ``hw1-adalovelace/``
anything else               a folder, a ``.zip``, ``.py`` or ``.ipynb`` per student, named after the student
==========================  =====================================================================

`classroom` knows what stands before the logins in Classroom's names.  A table (`mapping.read_mapping`) tells
whose an entry is where its name does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.classroom import classroom_prefix, said_of_ids
from grader.course.gradescope import METADATA, read_metadata
from grader.course.handed import Handed, go_together
from grader.course.mapping import Owner, read_mapping, refuse_shared
from grader.course.trees import PACKED
from grader.errors import UsageError
from grader.exercises.registry import module_names
from grader.text import Text

__all__ = ["Handed", "Survey", "find_submissions", "survey"]

MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<what>file|onlinetext)_?(?P<rest>.*)")
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_late)?_(?P<id>\d+)_(?P<file>\d+)_(?P<rest>.+)", re.IGNORECASE)
AGAIN = re.compile(r"-\d+(?=\.\w+$)")  # what Canvas appends to a file that is handed in again
KINDS = {".py": "file", ".ipynb": "notebook", ".zip": "zip"}
JUNK = {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}


@dataclass(frozen=True)
class Survey:
    """handed: the submissions, by student; ignored: names of entries that are none; ids: how the students'
    ids were read, where folders have a beginning in common."""

    handed: list[Handed]
    ignored: list[str]
    ids: Text | None = None


def find_submissions(folder: Path, mapping: Path | None = None) -> list[Handed]:
    """The submissions in a folder, one for each student, sorted by student.

    Raises `UsageError` for a folder that cannot be read, and for a wrong mapping.
    """
    return survey(folder, mapping).handed


def survey(folder: Path, mapping: Path | None = None) -> Survey:
    """`find_submissions`, and what was left aside."""
    entries = _entries(folder)
    if not mapping:
        _refuse_single(folder, entries)
    owners = read_mapping(mapping, [e.name for e in entries]) if mapping is not None else {}
    people = read_metadata(folder / METADATA) if (folder / METADATA).is_file() else {}
    plain = [e for e in entries if _is_plain(e, owners, people)]
    prefix = classroom_prefix(folder.resolve().name, plain)
    found: list[Handed] = []
    ignored: list[str] = []
    for entry in entries:
        if entry.name in owners:
            found.append(_owned(entry, owners[entry.name]))
        elif entry.name in people:
            found += [
                replace(_plain(entry, p.student), name=p.name, handed_at=p.at) for p in people[entry.name]
            ]
        else:
            handed = _recognised(entry, prefix)
            if handed is not None:
                found.append(handed)
            elif entry.name != METADATA:
                ignored.append(entry.name)
    if not found:
        raise UsageError(
            Text(
                f"no submissions in {folder}: expected a folder, .zip, .py or .ipynb for each student",
                f"{folder} 中没有提交：每个学生应有一个文件夹、.zip、.py 或 .ipynb 文件",
            )
        )
    if mapping is not None:
        refuse_shared(mapping, owners, found)
    return Survey(_by_student(found), ignored, said_of_ids(prefix, [e.name for e in plain]))


def _is_plain(entry: Path, *told: Collection[str]) -> bool:
    """A folder whose name alone tells whose it is."""
    named = any(entry.name in names for names in told) or MOODLE.fullmatch(entry.name) is not None
    return entry.is_dir() and not named


def _entries(folder: Path) -> list[Path]:
    if not folder.exists():
        raise UsageError(Text(f"there is no folder {folder}", f"没有文件夹 {folder}"))
    if not folder.is_dir():
        raise UsageError(
            Text(
                f"{folder} is a file: give the folder that holds the submissions",
                f"{folder} 是文件：请给出存放各份提交的文件夹",
            )
        )
    try:
        return sorted(p for p in folder.iterdir() if not p.name.startswith(".") and p.name not in JUNK)
    except OSError as error:
        raise UsageError(
            Text(f"{folder} cannot be read: {error.strerror}", f"无法读取 {folder}：{error.strerror}")
        ) from error


def _refuse_single(folder: Path, entries: Sequence[Path]) -> None:
    """The folder of one student, taken for that of a class, would make each exercise a student."""
    for entry in entries:
        if entry.suffix in (".py", ".ipynb") and entry.stem in module_names():
            raise UsageError(
                Text(
                    f"{folder} looks like one submission (it holds {entry.name}): give the folder that holds "
                    "the submissions, or use `grade run`",
                    f"{folder} 看起来是一份提交（其中有 {entry.name}）：请给出存放各份提交的文件夹，"
                    "或使用 `grade run`",
                )
            )


# -- one entry --------------------------------------------------------------------------------------


def _recognised(entry: Path, prefix: str) -> Handed | None:
    """What the name of an entry says of it; None for one that is no submission."""
    moodle = MOODLE.fullmatch(entry.name)
    if moodle is not None:
        if moodle["what"] == "onlinetext":
            return None
        return _of_platform(entry, moodle["id"], moodle["name"].strip(), moodle["rest"])
    canvas = CANVAS.fullmatch(entry.name) if entry.is_file() else None
    if canvas is not None:
        handed = _of_platform(entry, canvas["id"], canvas["name"], AGAIN.sub("", canvas["rest"]))
        return replace(handed, marked_late=canvas["late"] is not None)
    if entry.is_dir():
        return _plain(entry, entry.name.removeprefix(prefix))
    if entry.suffix.lower() in (*KINDS, *PACKED):
        return _plain(entry, entry.name.split(".")[0] if entry.suffix.lower() in PACKED else entry.stem)
    return None


def _of_platform(entry: Path, student: str, name: str, original: str) -> Handed:
    if entry.is_dir():
        return replace(_plain(entry, student), name=_words(name))
    return replace(_plain(entry, student), name=_words(name), parts=((original, entry),))


def _plain(entry: Path, student: str) -> Handed:
    kind = "folder" if entry.is_dir() else KINDS.get(entry.suffix.lower(), "file")
    problem = None
    if entry.is_file() and entry.suffix.lower() in PACKED:
        problem = Text(
            f"{entry.name} is packed as {entry.suffix}, which is not read: unpack it into a folder, or make "
            "it a .zip",
            f"{entry.name} 是 {entry.suffix} 压缩包，无法读取：请解压为文件夹，或改为 .zip",
        )
    return Handed(_words(student.strip() or entry.name), None, entry, kind, problem=problem)


def _words(name: str) -> str:
    """A name that can be stored and written: what is no text in it becomes a question mark."""
    return name.encode(errors="replace").decode()


def _owned(entry: Path, owner: Owner) -> Handed:
    handed = _recognised(entry, "") or _plain(entry, owner.student)
    return replace(
        handed,
        student=owner.student,
        name=owner.name or handed.name,
        handed_at=owner.at or handed.handed_at,
    )


# -- together ---------------------------------------------------------------------------------------


def _by_student(found: Iterable[Handed]) -> list[Handed]:
    """One submission a student: files that the platform has spread come together, and two entries that
    both want to be the submission are a problem, not a choice of ours."""
    groups: dict[str, list[Handed]] = {}
    for handed in found:
        groups.setdefault(handed.student, []).append(handed)
    return [_one(group) for _, group in sorted(groups.items())]


def _one(group: Sequence[Handed]) -> Handed:
    first = group[0]
    if len(group) == 1:
        return first
    if go_together(group):
        spread = [part for handed in group for part in handed.parts]
        return replace(
            first,
            kind="file",
            parts=tuple(spread),
            problem=next((h.problem for h in group if h.problem), None),
            marked_late=any(h.marked_late for h in group),
        )
    names = ", ".join(h.place.name for h in group[:4])
    return replace(
        first,
        problem=Text(
            f"{len(group)} entries belong to {first.student} ({names}): keep one, or give a mapping",
            f"{first.student} 有 {len(group)} 份提交（{names}）：请只保留一份，或给出对应表",
        ),
    )
