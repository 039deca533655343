"""Grades a submission: reads, loads, runs the suites with pytest, diagnoses, and makes the report."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

import pytest
import torch

import grader
from grader.errors import KitError
from grader.exercises.properties import is_property
from grader.exercises.registry import exercise
from grader.exercises.room import Room
from grader.marking.case import Case
from grader.marking.known import PLAIN, UNDIAGNOSED, Known
from grader.marking.lab import Lab
from grader.marking.memo import Memo
from grader.marking.plugin import Ran, check_of, run_suite
from grader.marking.preparing import Preparation
from grader.marking.records import CheckResult, ExerciseResult, Report
from grader.marking.results import result_of
from grader.marking.second import Second
from grader.marking.suites import suites_of
from grader.submission.launcher import Launcher
from grader.submission.recalling import Turn
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread

__all__ = ["Marked", "grade", "isolation_word", "opened"]


@one_thread()
def grade(
    submission: Submission,
    launcher: Launcher,
    *,
    budget: Mapping[str, float] | None = None,
    only: Collection[str] = (),
    with_reference: bool = False,
    stand_ins: Collection[str] = (),
    second: Second | None = None,
    postponed: dict[str, Marked] | None = None,
    known: Known | None = None,
) -> Report:
    """Grades the chosen exercises of a submission.  Raises only errors of the kit.

    with_reference: the kit's own parts stand in for earlier ones that cannot be used, and in any case for
    those in `stand_ins`; second: runs half of the checks, where there is one exercise alone; postponed: takes
    those that stand on one which loses points, and that are not diagnosed for now: what they give on top of
    it may well be all that counts.  Their workers live on, until the caller closes them; known: results that
    need not be found again, and takes those that are found.
    """
    started = time.perf_counter()
    ids = [i for i in submission.chosen if not only or i in only]
    results = known.all_marked(ids, submission, with_reference=with_reference) if known is not None else {}
    cases = {i: Case(exercise(i), submission.files.get(i)) for i in ids if i not in results}
    if second is not None and len(cases) == len(ids) == 1:
        _halve(cases[ids[0]], second, submission, budget or {}, with_reference)
    try:
        preparation = Preparation(submission, launcher, budget or {}, with_reference, stand_ins)
        for case in cases.values():
            preparation.prepare(case)
        running = [c for c in cases.values() if c.lab is not None]
        ran = _run_suites(running)
        if second is not None:
            for name, one in ran.items():
                second.remember(name, one)
        wrong = {n for n, r in results.items() if _loses(r.checks)}
        later = _standing_on_wrong_ones(cases, ran, wrong) if postponed is not None else set()
        for name, c in cases.items():
            results[name] = result_of(c, submission, ran.get(name, Ran()), diagnosed=name not in later)
            if known is not None:
                kind = UNDIAGNOSED if name in later else PLAIN
                known.keep(name, submission, (kind, with_reference), results[name])
        layers = next((c.client.layers for c in running if c.client is not None), None)
        if layers is None:  # nothing could be run: ask an idle worker
            layers = launcher.layers()
        if postponed is not None:
            postponed |= {name: Marked(cases.pop(name), submission, ran[name]) for name in later}
    finally:
        for case in cases.values():
            case.close()
    return Report(
        kit=grader.__version__,
        torch=torch.__version__,
        python=platform.python_version(),
        isolation=isolation_word(layers),
        submission=submission.name,
        exercises=tuple(results[name] for name in ids),
        layers=layers,
        seconds=time.perf_counter() - started,
    )


def isolation_word(layers: Collection[str]) -> str:
    """The one word for the JSON: the strongest layer that holds."""
    for word in ("landlock", "seccomp", "unprivileged", "limits"):
        if word in layers:
            return word
    return "none"


@dataclass(frozen=True)
class Marked:
    """An exercise whose suite has run and whose worker lives; turn: of which marking, if not the first."""

    case: Case
    submission: Submission
    ran: Ran
    turn: Turn | None = None

    @one_thread()
    def result(self, *, diagnosed: bool = True) -> ExerciseResult:
        """What the report says of it."""
        client = self.case.client
        with nullcontext() if self.turn is None or client is None else client.taking(self.turn):
            return result_of(self.case, self.submission, self.ran, diagnosed=diagnosed)

    @one_thread()
    def again(
        self,
        room: Room,
        memo: Memo | None,
        first: Collection[str],
        enough: Callable[[Sequence[CheckResult]], bool],
    ) -> Marked | None:
        """The same marked against another room: the checks in `first` come first, and None where it is
        `enough` before all have run."""
        client, file = self.case.client, self.case.file
        if client is None or file is None:
            return None
        lab = Lab(room, client, file.called(), memo)
        case = replace(self.case, lab=lab, half=None)
        items = suites_of([case.exercise])[case.exercise.id]
        turn = client.turn()
        with client.taking(turn):
            ordered = sorted(items, key=lambda item: check_of(item) not in first)
            ran = run_suite(case.exercise, ordered, lab, lambda so_far: enough(so_far.checks))
        _no_kit_errors([ran])
        if len(ran.checks) < len(items) or enough(ran.checks):
            return None
        return Marked(case, self.submission, ran.joined(Ran(), [check_of(i) for i in items]), turn)

    def close(self) -> None:
        """Ends its worker."""
        self.case.close()


def opened(
    submission: Submission,
    launcher: Launcher,
    name: str,
    budget: Mapping[str, float],
    *,
    with_reference: bool = False,
) -> Marked | None:
    """An exercise as it is before its suite runs; None where that cannot run."""
    case = Case(exercise(name), submission.files.get(name))
    Preparation(submission, launcher, budget, with_reference).prepare(case)
    if case.lab is None:
        case.close()
        return None
    return Marked(case, submission, Ran())


# -- the suites -------------------------------------------------------------------------------------


def _run_suites(cases: Sequence[Case]) -> dict[str, Ran]:
    suites = suites_of([c.exercise for c in cases])
    ran: dict[str, Ran] = {}
    slow: set[str] = set()
    for case in cases:
        if case.lab is None or case.client is None or case.file is None:
            continue
        name = case.exercise.id
        case.client.hurried = bool(case.file.imports(slow))
        ran[name] = _run_suite(case, suites[name], case.lab)
        if case.client.hurried:  # and with it whoever imports it
            slow.add(name)
    _no_kit_errors(ran.values())
    return ran


def _no_kit_errors(ran: Iterable[Ran]) -> None:
    problems = [p for one in ran for p in one.kit_errors]
    if problems:
        words = "; ".join(problems)
        raise KitError(Text(f"a fault of the kit: {words}", f"评分工具自身的错误：{words}"))


def _run_suite(case: Case, items: Sequence[pytest.Function], lab: Lab) -> Ran:
    """Runs the checks of a suite; those that were given to a second grader there, if all goes well."""
    ran = _run_checks(case, items, lab)
    failed = {c.id for c in ran.checks if c.tier == "core" and c.outcome == "failed"}
    lost = [i for i in items if check_of(i) in failed]
    if not lost or not all(is_property(i.function) for i in lost):
        return ran
    lab.shrinks = True  # nothing else shows what is wrong: find the smallest example
    again = run_suite(case.exercise, lost, lab)
    again.seconds += ran.seconds
    return ran.joined(again, [check_of(i) for i in items])


def _run_checks(case: Case, items: Sequence[pytest.Function], lab: Lab) -> Ran:
    given = case.half.checks if case.half is not None else frozenset()
    ran = run_suite(case.exercise, [i for i in items if check_of(i) not in given], lab)
    if case.half is None:
        return ran
    other = None if lab.client.stops else case.half.ran()
    if other is None:
        other = run_suite(case.exercise, [i for i in items if check_of(i) in given], lab)
        other.seconds += ran.seconds
    lab.half = case.half
    return ran.joined(other, [check_of(i) for i in items])


def _halve(
    case: Case, second: Second, submission: Submission, budget: Mapping[str, float], with_reference: bool
) -> None:
    """Lets the second grader begin, where it looks as if the suite can run."""
    if case.file is not None and case.file.problem is None and not case.file.unfinished(case.exercise):
        case.half = second.half(submission, case.exercise.id, budget, with_reference)


# -- after the suites -------------------------------------------------------------------------------


def _standing_on_wrong_ones(
    cases: Mapping[str, Case], ran: Mapping[str, Ran], others: Collection[str]
) -> set[str]:
    """The exercises that ran to their end and lose points, and that import one that does, maybe of others."""
    losing = {name for name, one in ran.items() if _loses(one.checks)}
    whole = {n for n in losing if not cases[n].unfinished and not cases[n].stopped}
    wrong = losing.union(others)
    return {n for n in whole if (file := cases[n].file) is not None and file.imports(wrong - {n})}


def _loses(checks: Sequence[CheckResult]) -> bool:
    return any(c.outcome != "passed" for c in checks)
