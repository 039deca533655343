"""Runs the checks of a suite, as pytest has collected them, on a lab, and notes the outcomes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from grader.exercises.registry import Exercise
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.records import CheckResult
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["Ran", "check_of", "run_suite"]


@dataclass
class Ran:
    """What one exercise's suite gave; took: the seconds of each check."""

    checks: list[CheckResult] = field(default_factory=list)
    seen: dict[str, Observation] = field(default_factory=dict)
    seconds: float = 0.0
    kit_errors: list[str] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)

    def joined(self, other: Ran, order: Sequence[str]) -> Ran:
        """The checks of two parts of a suite that ran at the same time, in the order of the suite."""
        checks = {c.id: c for c in (*self.checks, *other.checks)}
        return Ran(
            [checks[name] for name in order if name in checks],
            self.seen | other.seen,
            max(self.seconds, other.seconds),
            self.kit_errors + other.kit_errors,
            self.took | other.took,
        )


def run_suite(
    exercise: Exercise,
    items: Sequence[pytest.Function],
    lab: Lab,
    enough: Callable[[Ran], bool] | None = None,
) -> Ran:
    """Runs the checks one after the other, each by pytest's own call of it.

    A check asks for its lab and for nothing else, so there is nothing to set up between them.  `enough`:
    asked after each check whether to leave the others out.
    """
    ran = Ran()
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch, on what a submission returned: no user's concern
        for item in items:
            began = time.perf_counter()
            error = _error_of(item, lab)
            ran.took[check_of(item)] = time.perf_counter() - began
            _note(ran, exercise, item, error, lab)
            if enough is not None and enough(ran):
                break
    ran.seconds = time.perf_counter() - started
    return ran


def check_of(item: pytest.Function) -> str:
    """The id of a check: its name in `exercise.toml`."""
    return item.name.removeprefix("test_")


def _error_of(item: pytest.Function, lab: Lab) -> Exception | None:
    """What the check raises; nothing of the lab stays on the item."""
    try:
        item.funcargs = {"lab": lab}
        item.runtest()
    except Exception as error:  # noqa: BLE001  whatever it is, it is this check's
        error.__traceback__ = None  # holds every frame of the check, and with them the submission's data
        return error
    finally:
        item.funcargs = {}
    return None


def _note(ran: Ran, exercise: Exercise, item: pytest.Function, error: Exception | None, lab: Lab) -> None:
    name = check_of(item)
    spec = exercise.checks.get(name)
    if spec is None:
        ran.kit_errors.append(f"{exercise.id}: the check {name} has no entry in exercise.toml")
        return
    title = Text((item.function.__doc__ or name).strip().splitlines()[0], spec.zh)
    failed = _find_failure(error)
    if error is None:
        result = CheckResult(name, title, spec.tier, "passed", spec.points, spec.points)
    elif failed is not None:
        frame = failed.seen.error.where if failed.seen is not None and failed.seen.error else None
        result = CheckResult(
            name,
            title,
            spec.tier,
            "failed",
            0.0,
            spec.points,
            failed.text,
            failed.fault,
            frame.file if frame else None,
            failed.line or (frame.line if frame else None),
            lab.target if failed.target is None else failed.target,
        )
        if failed.seen is not None:
            ran.seen[name] = failed.seen
    else:
        ran.kit_errors.append(f"{exercise.id}.{name}: {type(error).__name__}: {error}")
        result = CheckResult(name, title, spec.tier, "skipped", 0.0, spec.points, _kit_fault())
    ran.checks.append(result)


def _kit_fault() -> Text:
    return Text(
        "this check could not be run: a fault of the kit, not of your code",
        "这项检查无法运行：是评分工具的问题，不是你的代码的问题",
    )


def _find_failure(error: BaseException | None) -> CheckFailed | None:
    """The check's own failure, also from within a group that hypothesis made."""
    if isinstance(error, CheckFailed):
        return error
    for inner in getattr(error, "exceptions", ()):
        found = _find_failure(inner)
        if found is not None:
            return found
    return None
