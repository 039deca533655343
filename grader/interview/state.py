"""The interviews of a workspace: started, running, over.

{"kind": "interview", "action": "start", "exercise": "attention", "minutes": 30}
{"kind": "interview", "action": "end", "reason": "time", "at": 1712345678.9}
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.exercises.registry import module_names
from grader.workspace.place import Event, Workspace
from grader.workspace.runs import Run, run_of

__all__ = ["Interview", "end", "interviews", "latest", "runs_in", "start"]

KIND = "interview"
REASONS = ("ended", "time", "passed")


@dataclass(frozen=True)
class Interview:
    """started, ended: seconds since the epoch; reason: ``ended`` by the learner, ``time`` is up, or
    ``passed`` with every point."""

    exercise: str
    started: float
    minutes: float
    ended: float | None = None
    reason: str | None = None

    @property
    def deadline(self) -> float:
        return self.started + 60 * self.minutes

    @property
    def running(self) -> bool:
        """It was not ended yet; its time may be up nevertheless."""
        return self.ended is None

    def left(self, now: float) -> float:
        """Seconds; a clock that was set back gives no more than there were."""
        return max(0.0, min(self.deadline - now, 60 * self.minutes))

    def is_over(self, now: float) -> bool:
        """The time is up."""
        return now >= self.deadline


def interviews(events: Sequence[Event]) -> list[Interview]:
    """All of them, oldest first; one that was started anew has ended the one before it."""
    found: list[Interview] = []
    for event in events:
        if event.kind != KIND:
            continue
        action, name = event.word("action"), event.word("exercise")
        if found and found[-1].running:
            reason = event.word("reason") if event.word("reason") in REASONS else "ended"
            ended = event.number("at") if action == "end" else 0.0
            found[-1] = replace(found[-1], ended=ended or event.time, reason=reason)
        if action == "start" and name in module_names() and event.number("minutes") > 0:
            found.append(Interview(name, event.time, event.number("minutes")))
    return found


def latest(workspace: Workspace) -> Interview | None:
    """The interview that is running, or the last one."""
    found = interviews(workspace.events(KIND))
    return found[-1] if found else None


def start(workspace: Workspace, exercise: str, minutes: float) -> Interview:
    """Starts the clock.  An `OSError` where the folder cannot remember it."""
    if not workspace.record(KIND, action="start", exercise=exercise, minutes=minutes):
        raise PermissionError(13, "the folder cannot be written")
    found = latest(workspace)
    return found or Interview(exercise, time.time(), minutes)


def end(workspace: Workspace, interview: Interview, reason: str, now: float) -> Interview:
    """Ends a running interview; one whose time is up ended when it was."""
    at = min(now, interview.deadline)
    workspace.record(KIND, action="end", reason=reason, at=round(at, 3))
    return replace(interview, ended=at, reason=reason)


def runs_in(interview: Interview, events: Sequence[Event]) -> list[Run]:
    """The runs of the exercise while it lasted, oldest first."""
    until = interview.deadline if interview.ended is None else interview.ended + 0.001
    runs = (run_of(event) for event in events)
    return [
        run
        for run in runs
        if run is not None and run.exercise == interview.exercise and interview.started <= run.time <= until
    ]
