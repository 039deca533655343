"""The pytest plugin that runs hidden suites: gives each check its lab and collects the outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from grader.exercises.registry import Exercise
from grader.marking.lab import CheckFailed, Lab
from grader.marking.records import CheckResult
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["Ran", "SuitePlugin"]


@dataclass
class Ran:
    """What one exercise's suite gave."""

    checks: list[CheckResult] = field(default_factory=list)
    seen: dict[str, Observation] = field(default_factory=dict)
    seconds: float = 0.0
    kit_errors: list[str] = field(default_factory=list)


class SuitePlugin:
    """Runs each suite's checks against a lab; stops asking when the exercise's time is used up."""

    NAME = "grade-suites"

    def __init__(self, exercises: dict[Path, Exercise], lab_for: Callable[[Exercise], Lab | None]) -> None:
        self.exercises = exercises
        self.lab_for = lab_for
        self.ran: dict[str, Ran] = {}

    # -- pytest's hooks -------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        started = time.perf_counter()
        result = yield
        self._ran(item).seconds += time.perf_counter() - started
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """Notes the outcome, and answers with a bare report: rendering a traceback takes 40 ms."""
        error = call.excinfo.value if call.excinfo is not None else None
        if call.when == "call" or (call.when == "setup" and error is not None):
            lab = getattr(item, "funcargs", {}).get("lab")
            failed = _find_failure(error)
            if failed is not None and failed.target is None and isinstance(lab, Lab):
                failed.target = lab.target
            self._note(item, error)
        outcome: Literal["passed", "failed"] = "passed" if error is None else "failed"
        assert call.when != "collect"
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, str(error) if error else None, call.when
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self) -> tuple[str, str, str]:
        return "", "", ""

    # -- collecting -----------------------------------------------------------------------------

    def _ran(self, item: pytest.Item) -> Ran:
        return self.ran.setdefault(self.exercises[Path(item.path)].id, Ran())

    def _note(self, item: pytest.Item, error: BaseException | None) -> None:
        exercise = self.exercises[Path(item.path)]
        ran = self._ran(item)
        function: Any = getattr(item, "function", None)
        name = item.name.split("[")[0].removeprefix("test_")
        spec = exercise.checks.get(name)
        if spec is None:
            ran.kit_errors.append(f"{exercise.id}: the check {name} has no entry in exercise.toml")
            return
        title = Text((function.__doc__ or name).strip().splitlines()[0], spec.zh)
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
                failed.target,
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
