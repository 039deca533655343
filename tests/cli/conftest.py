"""Reports that need no grading, and a command line to call."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.marking.records import CheckResult, ExerciseResult, Report
from grader.text import Text


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs `grade` with the given words, in English unless told otherwise."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return lambda *words: CliRunner().invoke(cli, [str(w) for w in words], prog_name="grade")


@pytest.fixture
def a_report() -> Callable[[str], Report]:
    """A report of one exercise with the given status."""

    def make(status: str) -> Report:
        ok = status == "passed"
        check = CheckResult(
            "scales", Text("It scales", "已缩放"), "core", "passed" if ok else "failed", 2.0 * ok, 2.0
        )
        result = ExerciseResult(
            "attention", Text("Attention", "注意力"), status, 2.0 * ok, 2.0, 0.1, (check,)
        )
        return Report("0.1.0", "2.13.0", "3.12.1", "landlock", ".", (result,), ("limits", "landlock"))

    return make
