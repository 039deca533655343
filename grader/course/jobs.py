"""What is to be graded, and who wants to hear of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from grader.course.contents import Contents, read_contents
from grader.course.handed import Handed
from grader.course.records import Graded

__all__ = ["Job", "Listener"]


@dataclass(frozen=True)
class Job:
    """One content to grade, and one of those who handed it in."""

    digest: str
    handed: Handed

    def contents(self) -> Contents:
        """Read when it is its turn: a class of 20,000 is not kept in memory."""
        return read_contents(self.handed)


class Listener(Protocol):
    """Is told by whatever runs jobs, in the process that owns the store."""

    def started(self, digest: str, worker: str) -> None: ...

    def finished(self, digest: str, graded: Graded, worker: str) -> None: ...
