"""What runs on a Dask worker: one warm session, and the check that its kit is the one that asks.

Imported by `distributed` on both sides, and only there.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from grader.course.contents import Contents
from grader.course.grading import grade_one
from grader.course.guards import check_marks
from grader.course.sessions import known_with
from grader.course.settings import GradingSettings, kit_digest
from grader.course.storing import graded_to_bytes
from grader.errors import GraderError
from grader.marking.session import Session
from grader.text import Text

__all__ = ["Answer", "GradingPlugin", "Introduction", "PLUGIN", "grade_there", "introduce"]

PLUGIN = "grade"


@dataclass(frozen=True)
class Introduction:
    """What a worker says of itself: kit is a digest (`settings.kit_digest`); layers confine submissions
    there; problem: why its marks could not be trusted."""

    kit: str
    threads: int
    layers: tuple[str, ...] = ()
    problem: Text | None = None


@dataclass(frozen=True)
class Answer:
    """A result (see `storing.py`); None from a worker that has another kit."""

    worker: str
    graded: bytes | None


class GradingPlugin(WorkerPlugin):  # type: ignore[misc]
    """Holds the session of a worker process; Dask gives it to workers that come later, too."""

    name = PLUGIN

    def __init__(self, settings: GradingSettings, kit: str) -> None:
        self.settings = settings
        self.kit = kit

    def setup(self, worker: Worker) -> None:
        self.address = str(worker.address)
        self.threads = int(worker.state.nthreads)
        self.one_at_a_time = threading.Lock()
        self.session: Session | None = None

    def teardown(self, worker: Worker) -> None:
        if self.session is not None:
            self.session.close()
            self.session = None

    def introduce(self) -> Introduction:
        """Only with the right kit is anything else tried."""
        if kit_digest() != self.kit:
            return Introduction(kit_digest(), self.threads)
        with self.one_at_a_time:
            try:
                session = self._warm()
                layers = session.launcher.layers()
                check_marks(self.settings, session)
            except GraderError as error:
                return Introduction(self.kit, self.threads, problem=error.text)
        return Introduction(self.kit, self.threads, layers)

    def grade(self, contents: Contents) -> Answer:
        if kit_digest() != self.kit:
            return Answer(self.address, None)
        with self.one_at_a_time:
            return Answer(self.address, graded_to_bytes(grade_one(contents, self.settings, self._warm())))

    def _warm(self) -> Session:
        if self.session is None:
            self.session = Session(budget=self.settings.budget, known=known_with())
            self.session.warm(self.settings.exercises)
        return self.session


def introduce() -> Introduction:
    """A task, for each worker."""
    return _plugin().introduce()


def grade_there(contents: Contents) -> Answer:
    """A task, for each submission."""
    return _plugin().grade(contents)


def _plugin() -> GradingPlugin:
    found: Any = get_worker().plugins[PLUGIN]
    assert isinstance(found, GradingPlugin)
    return found
