"""A warm grader: torch, the rooms and the zygote stay loaded from one submission to the next."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Collection, Mapping

from grader.closing import Closing
from grader.errors import ZygoteError
from grader.exercises.registry import exercise, load_room
from grader.marking.known import Known
from grader.marking.lanes import grade_in_lanes
from grader.marking.records import Report
from grader.marking.second import Second
from grader.marking.suites import suites_of
from grader.submission.launcher import Launcher, default_launcher
from grader.submission.ready import ReadyLauncher
from grader.submission.source import Submission

__all__ = ["Session"]


class Session(Closing):
    """Grades one submission after another, each in fresh workers.

    launcher: closed with the session where the session made it itself; budget: limits that hold for
    every submission (see `grader.cli.limits`); prompt: a verdict on one exercise is wanted as soon as two
    cores can give it; known: results that are found before, so that an exercise whose files were handed in
    to the letter is not marked again.
    """

    def __init__(
        self,
        launcher: Launcher | None = None,
        *,
        budget: Mapping[str, float] | None = None,
        prompt: bool = False,
        known: Known | None = None,
    ) -> None:
        self._own = launcher is None
        self.launcher = launcher or default_launcher()
        self.budget = dict(budget or {})
        self._prompt = prompt and Second.possible(self.launcher)
        self._workers = ReadyLauncher(self.launcher) if prompt else self.launcher
        self._second: Second | None = None
        self._shared = known is not None
        self._known = known if known is not None else Known()

    def warm(self, exercises: Collection[str]) -> None:
        """Loads the rooms and the suites of exercises before they are needed."""
        for name in exercises:
            load_room(name)
        suites_of([exercise(name) for name in exercises])

    def grade(
        self, submission: Submission, *, only: Collection[str] = (), with_reference: bool = False
    ) -> Report:
        """The same report as a cold run gives, with errors of earlier exercises carried forward.

        Raises only errors of the kit.
        """
        report = grade_in_lanes(
            submission,
            self._workers,
            budget=self.budget,
            only=only,
            lanes=1,
            with_reference=with_reference,
            second=self._second if self._second is not None and self._second.alive else None,
            known=self._known,
            shared=self._shared,
        )
        if self._prompt and self._second is None:  # what the first verdict has loaded, the fork has too
            gc.freeze()  # and need not look for garbage in it
            with contextlib.suppress(OSError, ZygoteError):
                self._second = Second(self.launcher)
        return report

    def rest(self) -> None:
        """Does what can wait until a verdict is read, and what makes the next one come sooner."""
        if self._second is not None:
            self._second.rest()
        if isinstance(self._workers, ReadyLauncher):
            self._workers.rest()

    def close(self) -> None:
        """Ends the second grader, and the zygote where the session started it."""
        if self._second is not None:
            self._second.close()
            self._second = None
        if isinstance(self._workers, ReadyLauncher):
            self._workers.close()
        if self._own:
            self.launcher.close()
