"""Every hostile submission costs its author marks, and nobody else anything.

No point that an honest wrong file would not get; nothing read that is secret; nothing left running, and
no file left anywhere; one clear sentence; and the next submission is graded as if nothing had been.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.submission.client import Client
from grader.submission.launcher import Launcher, ZygoteLauncher, default_launcher
from tests.attacks.bench import (
    Attack,
    attacks,
    children_of,
    disturbing,
    grade_it,
    hand_in,
    honest_files,
    leaks,
    left_behind,
    page_of,
    passed,
    words_of,
)
from tests.support import ROOT

SAMPLED = 3
CANARY = "import torch\n\n\ndef fine(x):\n    return x + 1\n"


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """One warm launcher, whose environment holds something worth stealing."""
    os.environ["GRADE_TEST_SECRET"] = "token-of-the-course-4711"
    try:
        with default_launcher() as found:
            yield found
    finally:
        del os.environ["GRADE_TEST_SECRET"]


@pytest.fixture(scope="module")
def honest(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What a wrong file gets that does not cheat, by exercise."""
    found = {}
    for file in honest_files():
        folder = hand_in(file, tmp_path_factory.mktemp(file.path.stem))
        found[file.path.stem] = passed(grade_it(folder, file.exercise, launcher).exercises[0])
    return found


def _cases() -> list[Any]:
    """All of them; a third is tried by default, some of each folder, and the others as slow tests."""
    cases = []
    for number, attack in enumerate(attacks()):
        marks = [pytest.mark.slow] if attack.slow or number % SAMPLED else []
        cases.append(pytest.param(attack, id=attack.id, marks=marks))
    return cases


@pytest.mark.parametrize("attack", _cases())
def test_attack(attack: Attack, launcher: Launcher, honest: dict[str, set[str]], tmp_path: Path) -> None:
    report = grade_it(hand_in(attack, tmp_path), attack.exercise, launcher)
    result = report.exercises[0]
    told = words_of(report)
    faults = [f.id for d in result.diagnoses for f in d.faults]

    assert passed(result) <= honest[attack.honest], "points for cheating"
    assert not leaks(told)
    assert not left_behind(tmp_path)
    ours = replace(report, exercises=tuple(replace(e, printed="") for e in report.exercises))
    assert str(ROOT / "grader") not in words_of(ours), "a traceback of ours"
    assert not disturbing(page_of(report))
    assert result.status in attack.status, (result.status, faults, result.note)
    if attack.fault is not None:
        assert attack.fault in faults or attack.fault in {c.fault for c in result.checks}
    assert result.note is not None or result.diagnoses
    if isinstance(launcher, ZygoteLauncher):
        assert not children_of(launcher.process.pid)
    _still_works(launcher)


def _still_works(launcher: Launcher) -> None:
    import torch

    client = Client(launcher, "attention", {"attention": ("attention.py", CANARY)})
    try:
        assert torch.equal(client.call("fine", [torch.ones(2)]).value, torch.full((2,), 2.0))
    finally:
        client.close()


def test_the_solution_still_passes(launcher: Launcher) -> None:
    """After all of them, on the same launcher."""
    assert grade_it(ROOT / "solutions", "attention", launcher).passed


def test_there_are_enough_of_them() -> None:
    assert len(attacks()) >= 180
    assert all(a.tries and a.status for a in attacks())
