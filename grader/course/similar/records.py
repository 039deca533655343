"""What `grade similar` has found, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course.similar.pairs import Likeness
from grader.text import Text

__all__ = ["Found", "Missed", "Pair", "Side", "Work"]

LINES = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Work:
    """One file of a submission, as it was handed in."""

    student: str
    exercise: str
    name: str
    text: str


@dataclass(frozen=True)
class Side:
    """One of the two files of a pair; telling: lines that both have and few others; ordinary: lines
    that both have, as many others do."""

    work: Work
    telling: LINES
    ordinary: LINES


@dataclass(frozen=True)
class Pair:
    """Two students whose files are alike, in these exercises; whole: in everything that both handed in."""

    one: str
    other: str
    exercises: tuple[tuple[str, Likeness], ...]
    whole: Likeness
    sides: tuple[tuple[Side, Side], ...] = ()

    @property
    def bits(self) -> float:
        return max([self.whole.bits, *(found.bits for _, found in self.exercises)])

    @property
    def share(self) -> float:
        return max([self.whole.share, *(found.share for _, found in self.exercises)])


@dataclass(frozen=True)
class Missed:
    """What was not compared: a file of a student's, or (file is None) all that they handed in."""

    student: str
    file: str | None
    why: Text


@dataclass(frozen=True)
class Found:
    """submissions: how many were compared, of `handed`; missed: what was not, and why; ordinary:
    submissions with so little of their own that nothing can be said of them; clusters: of students."""

    submissions: int
    pairs: tuple[Pair, ...]
    clusters: tuple[tuple[str, ...], ...]
    missed: tuple[Missed, ...] = ()
    ordinary: int = 0
    share: float = 0.0
    bits: float = 0.0
    handed: int = 0
