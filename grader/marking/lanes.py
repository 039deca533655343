"""Grades the exercises of one submission side by side, on as many cores as there are.

Grading alternates between the grader (which builds inputs and compares) and the worker (which runs
the learner's code), so one lane keeps about one core busy.  Further lanes are forks of the grader
itself, trusted like it, each with its own control socket to the zygote.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch

from grader.errors import GraderError, KitError
from grader.exercises.registry import exercise, load_room
from grader.marking.carrying import carry_forward
from grader.marking.cells import in_cells
from grader.marking.known import Known
from grader.marking.records import ExerciseResult, Report
from grader.marking.run import Marked, grade
from grader.marking.second import Second
from grader.submission.launcher import Launcher
from grader.submission.source import Submission
from grader.text import Text

__all__ = ["grade_in_lanes", "split"]


def grade_in_lanes(
    submission: Submission,
    launcher: Launcher,
    *,
    budget: Mapping[str, float] | None = None,
    only: Collection[str] = (),
    lanes: int | None = None,
    with_reference: bool = False,
    second: Second | None = None,
    known: Known | None = None,
    shared: bool = False,
) -> Report:
    """The same report as `grade` gives, in less time where there are cores for it; and errors of
    earlier exercises carried forward.

    second: for one exercise in one lane, see `grade`; known: see `carry_forward`; shared: what is known is
    not marked again at all.
    """
    marked = partial(grade, submission, budget=budget, with_reference=with_reference)

    def after(
        results: Sequence[ExerciseResult], postponed: Mapping[str, Marked] | None = None
    ) -> tuple[ExerciseResult, ...]:
        return carry_forward(
            submission,
            launcher,
            results,
            budget,
            with_reference=with_reference,
            postponed=postponed,
            known=known,
            shared=shared,
        )

    wanted = lanes if lanes is not None else min(4, os.cpu_count() or 1)
    chosen = [name for name in submission.chosen if not only or name in only]
    groups = split(chosen, wanted)
    if len(groups) < 2 or not (sys.platform.startswith("linux") and hasattr(os, "fork")):
        postponed: dict[str, Marked] = {}
        before = known if shared else None
        report = marked(launcher, only=only, second=second, postponed=postponed, known=before)
        try:
            return in_cells(replace(report, exercises=after(report.exercises, postponed)), submission)
        finally:
            for one in postponed.values():
                one.close()
    started = time.perf_counter()
    torch.set_num_threads(1)  # before forking: no thread pool may be under way
    for name in chosen:
        if name in submission.files and submission.files[name].tree is not None:
            load_room(name)  # imported once, for all lanes
    gc.freeze()  # what is loaded by now stays: no collection need look at it again
    others = [_Lane(marked, launcher, group) for group in groups[1:]]
    try:
        reports = [marked(launcher, only=groups[0])]
        reports += [other.report() for other in others]
    finally:
        for other in others:
            other.close()
    results = sorted((e for r in reports for e in r.exercises), key=lambda e: chosen.index(e.id))
    layers = max((r.layers for r in reports), key=len)
    isolation = next(r.isolation for r in reports if r.layers == layers)
    whole = replace(
        reports[0],
        exercises=after(results),
        layers=layers,
        isolation=isolation,
        seconds=time.perf_counter() - started,
    )
    return in_cells(whole, submission)


def split(chosen: Sequence[str], lanes: int) -> list[list[str]]:
    """Groups of about equal work; the longest first, each to the group that has least."""
    groups: list[list[str]] = [[] for _ in range(max(1, min(lanes, len(chosen))))]
    weights = [0.0] * len(groups)
    for name in sorted(chosen, key=lambda n: -exercise(n).work):
        lightest = weights.index(min(weights))
        groups[lightest].append(name)
        weights[lightest] += exercise(name).work
    return [g for g in groups if g]


class _Lane:
    """A fork of the grader that grades one group and sends its report through a pipe."""

    def __init__(
        self,
        marked: Callable[..., Report],
        launcher: Launcher,
        group: Sequence[str],
    ) -> None:
        lane = launcher.lane()
        self.read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.read)
            self._work(marked, lane, group, write)
        os.close(write)
        lane.close()
        self.done = False

    @staticmethod
    def _work(
        marked: Callable[..., Report],
        lane: Launcher,
        group: Sequence[str],
        write: int,
    ) -> None:
        """Runs in the fork, and never returns."""
        code = 1
        try:
            answer: object
            try:
                answer = marked(lane, only=group)
            except GraderError as error:
                answer = error.text
            except Exception as error:  # noqa: BLE001  anything goes to the first lane, which reports it
                answer = Text.same(f"{type(error).__name__}: {error}")
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(answer, pipe)
            code = 0
        except BaseException:  # noqa: BLE001  Ctrl-C, or a broken pipe: the first lane tells the user
            code = 130
        finally:
            os._exit(code)

    def report(self) -> Report:
        """Waits for the group's report."""
        with os.fdopen(self.read, "rb") as pipe:
            data = pipe.read()
        self._wait()
        answer = pickle.loads(data) if data else Text.same("a part of the grader ended early")
        if isinstance(answer, Report):
            return answer
        raise KitError(answer)

    def close(self) -> None:
        """Stops the fork if it still runs."""
        if not self.done:
            os.kill(self.pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> None:
        os.waitpid(self.pid, 0)
        self.done = True
