"""A warm grader: torch, the rooms and the zygote stay loaded from one submission to the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from grader.closing import Closing
from grader.exercises.registry import exercise, load_room
from grader.marking.carrying import carry_forward
from grader.marking.cells import in_cells
from grader.marking.records import Report
from grader.marking.run import grade
from grader.marking.suites import suites_of
from grader.submission.launcher import Launcher, default_launcher
from grader.submission.source import Submission

__all__ = ["Session"]


class Session(Closing):
    """Grades one submission after another, each in fresh workers.

    launcher: closed with the session where the session made it itself; budget: limits that hold for
    every submission (see `grader.cli.limits`).
    """

    def __init__(
        self, launcher: Launcher | None = None, *, budget: Mapping[str, float] | None = None
    ) -> None:
        self._own = launcher is None
        self.launcher = launcher or default_launcher()
        self.budget = dict(budget or {})

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
        report = grade(
            submission, self.launcher, budget=self.budget, only=only, with_reference=with_reference
        )
        results = carry_forward(
            submission, self.launcher, report.exercises, self.budget, with_reference=with_reference
        )
        return in_cells(replace(report, exercises=results), submission)

    def close(self) -> None:
        """Ends the zygote, where the session started it."""
        if self._own:
            self.launcher.close()
