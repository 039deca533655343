"""One entry of the folder of submissions: whose it is, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.text import Text

__all__ = ["Handed", "go_together"]


@dataclass(frozen=True)
class Handed:
    """A submission as it was found.

    student: the id for the mark sheet; name: a name for people, where the download holds one; place: the
    folder, file or zip; kind: ``folder``, ``file``, ``zip`` or ``notebook``; handed_at: when, where the
    download says so; marked_late: the platform says that it is late, without saying when; parts: the files
    with their own names, where the download has put a student's name before them; problem: why it cannot
    be graded, though the student did hand something in.
    """

    student: str
    name: str | None
    place: Path
    kind: str
    handed_at: datetime | None = None
    problem: Text | None = None
    marked_late: bool = False
    parts: tuple[tuple[str, Path], ...] = ()


def go_together(group: Sequence[Handed]) -> bool:
    """Whether entries are the files of one submission, which the platform has spread."""
    names = [name for handed in group for name, _ in handed.parts]
    return all(handed.parts for handed in group) and len(set(names)) == len(names)
