"""Jobs on the cores of this machine, after the guards have been asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.course.guards import check_marks, refuse_weak
from grader.course.jobs import Job, Listener
from grader.course.kept import prepared
from grader.course.runner import Places, run_locally
from grader.course.sessions import Zygotes
from grader.course.settings import GradingSettings

__all__ = ["LocalSpread"]


@dataclass(frozen=True)
class LocalSpread:
    """workers: grader processes at once, never more than there are jobs; allow_weak: also where submitted
    code is not well confined; kept: the file for what exercises gave (see `kept`); anew: without what
    earlier runs have put there."""

    workers: int
    allow_weak: bool = False
    kept: Path | None = None
    anew: bool = False

    def __call__(
        self, jobs: Sequence[Job], settings: GradingSettings, listener: Listener, tick: Callable[[], None]
    ) -> None:
        workers = max(1, min(self.workers, len(jobs)))
        with Zygotes(workers, settings.exercises, settings.budget) as zygotes:
            zygotes.warm()
            if not self.allow_weak:
                refuse_weak(zygotes.layers())
            guard = zygotes.make(0)  # which must see for itself: nothing is known to it
            with guard() as session:
                check_marks(settings, session)
            guard.close()
            kept = prepared(self.kept, settings, anew=self.anew) if self.kept is not None else None
            places = Places(partial(zygotes.make, kept=kept), workers)
            run_locally(jobs, settings, listener, places, tick=tick)
