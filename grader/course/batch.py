"""A whole batch: find, look up, grade what is new, and give the marks of everyone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from grader.course.contents import read_contents
from grader.course.handed import Handed
from grader.course.intake import survey
from grader.course.jobs import Job, Listener
from grader.course.marks import mark
from grader.course.records import Graded, Mark
from grader.course.rules import Course
from grader.course.settings import GradingSettings, digest_of
from grader.course.store import Entry, Store
from grader.text import Text

__all__ = ["Asked", "Marked", "Progress", "Spread", "grade_batch"]


class Progress(Protocol):
    """Is told how far a batch is: `begin` a stage with so many steps, then each step; and what to `say`."""

    def begin(self, stage: str, steps: int) -> None: ...

    def step(self, count: int = 1) -> None: ...

    def tick(self) -> None: ...

    def say(self, text: Text) -> None: ...


class Spread(Protocol):
    """Does jobs, on this machine or on others."""

    def __call__(
        self, jobs: Sequence[Job], settings: GradingSettings, listener: Listener, tick: Callable[[], None]
    ) -> None: ...


@dataclass(frozen=True)
class Asked:
    """What is to be graded, and how.  again: also what is unchanged."""

    folder: Path
    store: Path
    course: Course
    budget: Mapping[str, float] = field(default_factory=dict)
    mapping: Path | None = None
    again: bool = False


@dataclass(frozen=True)
class Marked:
    """marks: by student; handed: the submissions; ignored: entries of the folder that are none; new: how
    many were graded now, without those that have no report; salt: the store's secret for pseudonyms; ids:
    how students' ids were read from the names of folders, where that was a guess."""

    marks: list[Mark]
    handed: Mapping[str, Handed]
    ignored: Sequence[str]
    new: int
    salt: str
    ids: Text | None = None


def grade_batch(asked: Asked, spread: Spread, progress: Progress) -> Marked:
    """Grades what has no result yet.  Whatever interrupts it, the same call goes on from there."""
    found = survey(asked.folder, asked.mapping)
    if found.ids is not None:
        progress.say(found.ids)
    settings = GradingSettings(asked.course.exercises, asked.budget)
    with Store(asked.store) as store:
        progress.begin("reading", len(found.handed))
        entries = []
        notes: dict[str, tuple[Text, ...]] = {}
        for handed in found.handed:
            contents = read_contents(handed, settings.exercises)
            entries.append(Entry(handed, digest_of(contents, settings)))
            if contents.notes:
                notes[handed.student] = contents.notes
            progress.step()
        store.enter(entries, again=asked.again)
        waiting = set(store.waiting())
        jobs = {e.digest: Job(e.digest, e.handed) for e in entries if e.digest in waiting}
        if jobs:
            people = Counter(e.digest for e in entries if e.digest in waiting)
            progress.begin("grading", people.total())
            spread(list(jobs.values()), settings, _Writer(store, progress, people), progress.tick)
        marks = [mark(row, asked.course, notes.get(row.student, ())) for row in store.rows()]
        salt = asked.course.salt or store.salt()
    new = sum(m.status == "graded" and m.row.digest in waiting for m in marks)
    return Marked(marks, {h.student: h for h in found.handed}, found.ignored, new, salt, found.ids)


@dataclass(frozen=True)
class _Writer:
    """Writes what it hears into the store, at once.  people: how many have handed in the same."""

    store: Store
    progress: Progress
    people: Mapping[str, int]

    def started(self, digest: str, worker: str) -> None:
        self.store.started(digest, worker)

    def finished(self, digest: str, graded: Graded, worker: str) -> None:
        self.store.finished(digest, graded, worker)
        self.progress.step(self.people[digest])

    def said(self, words: Text) -> None:
        self.progress.say(words)
