"""Whatever a worker answers, the suites and the diagnosis conclude something, and never break down."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.exercises.registry import module_names
from grader.marking import preparing, run
from grader.reports.json_report import as_json
from grader.submission.source import read_submission
from tests.support import ROOT, Grader
from tests.wall.liar import Liar


def graded(monkeypatch: pytest.MonkeyPatch, grader: Grader, exercise: str, seed: int) -> str:
    """The status that a liar reaches; a breakdown raises `KitError`."""
    monkeypatch.setattr(preparing, "Recalling", Liar)
    monkeypatch.setattr(Liar, "seed", seed)
    report = run.grade(read_submission(Path(ROOT / "solutions"), (exercise,)), grader.launcher)
    assert as_json(report, "en")
    assert as_json(report, "zh")
    return report.exercises[0].status


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exercise", module_names())
def test_suites_withstand_any_answer(
    monkeypatch: pytest.MonkeyPatch, grader: Grader, exercise: str, seed: int
) -> None:
    monkeypatch.setattr("grader.marking.results.diagnose", lambda *args: ())
    assert graded(monkeypatch, grader, exercise, seed) != "passed"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 24))
@pytest.mark.parametrize("exercise", module_names())
def test_suites_and_diagnosis_withstand_any_answer(
    monkeypatch: pytest.MonkeyPatch, grader: Grader, exercise: str, seed: int
) -> None:
    assert graded(monkeypatch, grader, exercise, seed) != "passed"
