"""Sessions for grader processes: each has a lane of its own to a zygote that a few of them share.

Torch is imported by `Zygotes.warm`, while the zygotes import it on another core.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.closing import Closing
from grader.course.kept import KeptAt
from grader.course.worker_process import MakesSession
from grader.exercises.registry import load_room
from grader.submission.launcher import Launcher, ZygoteLauncher, default_launcher

if TYPE_CHECKING:
    from grader.marking.known import Known
    from grader.marking.session import Session

__all__ = ["LaneSession", "OwnSession", "Zygotes", "known_with"]

KNOWN = 400  # results that a grader process keeps in memory, some kilobytes each
SHARED_BY = 4  # a zygote forks one worker at a time, in some milliseconds


@dataclass
class LaneSession:
    """A session on a lane that the parent has opened; the fork takes it with it."""

    lane: Launcher
    budget: Mapping[str, float]
    kept: KeptAt | None = None

    def __call__(self) -> Session:
        from grader.marking.session import Session

        return Session(self.lane, budget=self.budget, known=known_with(self.kept))

    def close(self) -> None:
        self.lane.close()


@dataclass(frozen=True)
class OwnSession:
    """A session with a launcher of its own, for a process that is no fork."""

    budget: Mapping[str, float]
    exercises: tuple[str, ...]
    kept: KeptAt | None = None

    def __call__(self) -> Session:
        from grader.marking.session import Session

        session = Session(budget=self.budget, known=known_with(self.kept))
        session.warm(self.exercises)
        return session

    def close(self) -> None:
        """The parent holds nothing of it."""


def known_with(kept: KeptAt | None = None) -> Known:
    """What a grader process knows, and, if there is a file for it, what others do."""
    from grader.marking.known import Known

    return Known(KNOWN, kept.open() if kept is not None else None)


class Zygotes(Closing):
    """The zygotes of a batch: `make` gives a grader process its session."""

    def __init__(self, workers: int, exercises: Collection[str], budget: Mapping[str, float]) -> None:
        self.exercises = tuple(exercises)
        self.budget = dict(budget)
        self.forks = sys.platform.startswith("linux")
        count = -(-workers // SHARED_BY) if self.forks else 1
        self.launchers = [default_launcher() for _ in range(count)]

    def warm(self) -> None:
        """Loads torch and the rooms, once for all processes that are forked from this one."""
        import torch

        import grader.marking.session  # noqa: F401  pytest, hypothesis and all that a session needs

        torch.set_num_threads(1)
        for name in self.exercises:
            load_room(name)

    def layers(self) -> tuple[str, ...]:
        """What confines a worker on this machine."""
        return self.launchers[0].layers()

    def make(self, number: int, kept: KeptAt | None = None) -> MakesSession:
        """kept: results of others that hold in this session as well."""
        if not self.forks:
            return OwnSession(self.budget, self.exercises, kept)
        index = number % len(self.launchers)
        launcher = self.launchers[index]
        if isinstance(launcher, ZygoteLauncher) and launcher.process.poll() is not None:
            with contextlib.suppress(OSError):
                launcher.close()
            launcher = self.launchers[index] = default_launcher()
        return LaneSession(launcher.lane(), self.budget, kept)

    def close(self) -> None:
        for launcher in self.launchers:
            launcher.close()
