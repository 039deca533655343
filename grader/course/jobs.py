"""What is to be graded, and who wants to hear of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from grader.course.contents import Contents, read_contents
from grader.course.grading import not_graded
from grader.course.handed import Handed
from grader.course.records import Graded
from grader.course.settings import GradingSettings, digest_of
from grader.text import Text

__all__ = ["Job", "Listener", "to_run"]

CHANGED = Text(
    "the files changed while the run went on: run the same command again",
    "运行期间文件有改动：请再次运行同一命令",
)


@dataclass(frozen=True)
class Job:
    """One content to grade, and one of those who handed it in."""

    digest: str
    handed: Handed

    def contents(self, exercises: Collection[str] = ()) -> Contents:
        """Read when it is its turn: a class of 20,000 is not kept in memory.  exercises: those that count."""
        return read_contents(self.handed, exercises)


class Listener(Protocol):
    """Is told by whatever runs jobs, in the process that owns the store."""

    def started(self, digest: str, worker: str) -> None: ...

    def finished(self, digest: str, graded: Graded, worker: str) -> None: ...

    def said(self, words: Text) -> None:
        """Something that whoever waits should read, while the run goes on."""


def to_run(job: Job, settings: GradingSettings, listener: Listener, worker: str) -> Contents | None:
    """The contents of a job whose turn it is, of which the listener hears; None where nothing has to run,
    and it has heard the result instead."""
    contents = job.contents(settings.exercises)
    if digest_of(contents, settings) != job.digest:
        listener.finished(job.digest, not_graded(CHANGED), worker)
        return None
    if contents.problem is not None:
        listener.finished(job.digest, Graded(None, contents.problem, contents.by_kit, 0.0), worker)
        return None
    return contents
