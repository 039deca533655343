"""Runs jobs on the cores of this machine: forks of one process that has loaded torch and the rooms.

The parent sends contents and receives results, and is the only one that writes.  A grader process that
dies, or does not answer, is a fault of the kit's: it is replaced, its submission is tried once more, and
then recorded as not graded.  A process is also replaced after `RECYCLE_AFTER` submissions, or when it holds
more than `MOST_MEMORY` MiB of its own.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from grader.course.grading import not_graded
from grader.course.jobs import Job, Listener, to_run
from grader.course.settings import GradingSettings
from grader.course.storing import graded_from_bytes
from grader.course.worker_process import MakesSession, memory_mib, serve
from grader.exercises.registry import exercise
from grader.text import Text

__all__ = ["Places", "patience_for", "run_locally"]

RECYCLE_AFTER = 500
MOST_MEMORY = 1024.0
TRIES = 2
HOW = "fork" if sys.platform.startswith("linux") else "spawn"
LOOK_SECONDS = 0.2  # how often the clock and the progress are looked at
START_SECONDS = 180.0
TOTAL_SECONDS = 60.0  # of an exercise that has no limit of its own, as `submission.client.Budget`


@dataclass
class _Grader:
    """One grader process, and what it is at."""

    name: str
    process: BaseProcess
    pipe: Connection
    ready: bool = False
    job: Job | None = None
    since: float = 0.0
    done: int = 0


@dataclass
class Places:
    """Where grader processes come from: `make` gives the session of the one with that number."""

    make: Callable[[int], MakesSession]
    workers: int
    context: str = HOW
    started: int = 0
    replaced: int = 0

    def start(self, settings: GradingSettings) -> _Grader:
        context = multiprocessing.get_context(self.context)
        ours, theirs = context.Pipe()
        self.started += 1
        make = self.make(self.started)
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, make, settings, os.getpid()), daemon=True
        )
        with warnings.catch_warnings():  # threads of libraries that sleep, and that a fork does not have
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        make.close()
        return _Grader(f"grader-{self.started}", process, ours, since=time.monotonic())


def patience_for(settings: GradingSettings) -> float:
    """How long a submission may take before the grader itself must be stuck: every exercise up to its
    limit, run again on its own earlier parts and once more for the diagnosis, and a minute."""
    limits = [
        settings.budget.get("total", exercise(e).budget.get("total", TOTAL_SECONDS))
        for e in settings.exercises
    ]
    return 60.0 + 4.0 * sum(limits)


def run_locally(
    jobs: Iterable[Job],
    settings: GradingSettings,
    listener: Listener,
    places: Places,
    *,
    patience: float | None = None,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Runs every job and tells the listener.  However it ends, no process is left behind."""
    run = _Run(deque(jobs), settings, listener, places, patience or patience_for(settings))
    try:
        run.start()
        while run.step(LOOK_SECONDS):
            tick()
    finally:
        run.close()


class _Run:
    """The jobs that wait, and the graders."""

    def __init__(
        self,
        waiting: deque[Job],
        settings: GradingSettings,
        listener: Listener,
        places: Places,
        patience: float,
    ) -> None:
        self.waiting = waiting
        self.settings = settings
        self.listener = listener
        self.places = places
        self.patience = patience
        self.tries: dict[str, int] = {}
        self.idle_deaths = 0
        self.graders: list[_Grader] = []

    def start(self) -> None:
        for _ in range(min(self.places.workers, len(self.waiting))):
            self.graders.append(self.places.start(self.settings))

    def step(self, seconds: float) -> bool:
        """Waits for something to happen, and deals with it; False when all is done."""
        if not self.graders:
            return False
        heard = wait([g.pipe for g in self.graders], seconds)
        for grader in list(self.graders):
            if grader.pipe in heard:
                self._hear(grader)
            elif not grader.process.is_alive():
                self._lost(grader, _died(grader.process.exitcode))
            elif self._stuck(grader):
                self._lost(grader, _hung(time.monotonic() - grader.since))
        return bool(self.graders)

    def close(self) -> None:
        for grader in self.graders:
            _end(grader)
        self.graders = []

    # -- one grader -----------------------------------------------------------------------------

    def _hear(self, grader: _Grader) -> None:
        try:
            data = grader.pipe.recv_bytes()
        except (EOFError, OSError):
            grader.process.join(5)
            self._lost(grader, _died(grader.process.exitcode))
            return
        if not grader.ready:
            grader.ready = True
        elif grader.job is not None:
            graded = graded_from_bytes(data)
            if graded.by_kit and graded.problem is not None:
                self._lost(grader, graded.problem)
                return
            self.listener.finished(grader.job.digest, graded, grader.name)
            grader.job = None
            grader.done += 1
            self.idle_deaths = 0
        if self._worn(grader) and self.waiting:
            self._replace(grader)
        else:
            self._feed(grader)

    def _feed(self, grader: _Grader) -> None:
        """Gives a grader its next job; one for which there is none ends."""
        while self.waiting:
            job = self.waiting.popleft()
            contents = to_run(job, self.settings, self.listener, grader.name)
            if contents is None:
                continue
            self.listener.started(job.digest, grader.name)
            grader.job, grader.since = job, time.monotonic()
            with contextlib.suppress(OSError):  # it has died: the next look at it tells
                grader.pipe.send(contents)
            return
        self.graders.remove(grader)
        _end(grader, kindly=True)

    def _lost(self, grader: _Grader, why: Text) -> None:
        """A grader died or hangs: its submission is tried once more, by another process."""
        job = grader.job
        if job is not None:
            self.tries[job.digest] = self.tries.get(job.digest, 0) + 1
            if self.tries[job.digest] < TRIES:
                self.waiting.append(job)
            else:
                self.listener.finished(
                    job.digest, not_graded(why, time.monotonic() - grader.since), grader.name
                )
        else:
            self.idle_deaths += 1
            if self.idle_deaths > 2 * self.places.workers + 2:  # none can be started on this machine
                for left in self.waiting:
                    self.listener.finished(left.digest, not_graded(why), grader.name)
                self.waiting.clear()
        self.places.replaced += 1
        self._replace(grader)

    def _replace(self, grader: _Grader) -> None:
        self.graders.remove(grader)
        _end(grader)
        if self.waiting:
            self.graders.append(self.places.start(self.settings))

    def _stuck(self, grader: _Grader) -> bool:
        if grader.ready and grader.job is None:
            return False
        return time.monotonic() - grader.since > (self.patience if grader.ready else START_SECONDS)

    def _worn(self, grader: _Grader) -> bool:
        """Has done enough, or has grown: a fresh fork is small and quick to make."""
        if grader.done >= RECYCLE_AFTER:
            return True
        return grader.done % 20 == 19 and memory_mib(grader.process.pid or 0) > MOST_MEMORY


def _end(grader: _Grader, *, kindly: bool = False) -> None:
    """Kindly: it is idle, and ends by itself; else it may be stuck, and is not asked."""
    if kindly:
        with contextlib.suppress(OSError):
            grader.pipe.send(None)
        grader.process.join(5)
    grader.pipe.close()
    if grader.process.is_alive():
        grader.process.kill()
    grader.process.join(5)


def _died(code: int | None) -> Text:
    return Text(
        f"the grader itself ended while it graded this (exit code {code}), twice: a fault of the kit",
        f"评分程序在评这份提交时两次异常结束（退出码 {code}）：是评分工具的问题",
    )


def _hung(seconds: float) -> Text:
    return Text(
        f"the grader itself did not answer for {seconds:.0f} s, twice: a fault of the kit",
        f"评分程序两次超过 {seconds:.0f} 秒没有响应：是评分工具的问题",
    )
