"""Every right submission passes, core and edge; every wrong one is caught, named and located.

The fast run takes every right submission and, for every third fault, a wrong one; ``-m slow`` takes all.
"""

from __future__ import annotations

import pytest

from grader.exercises.registry import all_exercises
from tests.support import Example, Grader, examples

WHEATS = examples("wheats")
CHAFFS = examples("chaffs")


def _one_for_each_fault() -> list[Example]:
    chosen: dict[tuple[str, frozenset[str]], Example] = {}
    for chaff in CHAFFS:
        chosen.setdefault((chaff.exercise, chaff.faults), chaff)
    return list(chosen.values())[::3]


FAST = _one_for_each_fault()


def test_there_are_enough() -> None:
    exercises = {w.exercise for w in WHEATS}
    assert len(exercises) == len(all_exercises())
    for name in exercises:
        assert sum(w.exercise == name for w in WHEATS) >= 8
        assert sum(c.exercise == name for c in CHAFFS) >= 12


@pytest.mark.parametrize("wheat", WHEATS, ids=lambda e: e.id)
def test_right_submissions_pass(grader: Grader, wheat: Example) -> None:
    result = grader.file(wheat.exercise, wheat.path)
    wrong = {c.id: c.message.en if c.message else None for c in result.checks if c.outcome != "passed"}
    assert not wrong
    assert result.status == "passed"
    assert result.score == result.max_score
    assert not result.diagnoses


@pytest.mark.parametrize("chaff", FAST, ids=lambda e: e.id)
def test_wrong_submissions(grader: Grader, chaff: Example) -> None:
    judge(grader, chaff)


@pytest.mark.slow
@pytest.mark.parametrize("chaff", [c for c in CHAFFS if c not in FAST], ids=lambda e: e.id)
def test_all_wrong_submissions(grader: Grader, chaff: Example) -> None:
    judge(grader, chaff)


def judge(grader: Grader, chaff: Example) -> None:
    """The submission loses points; its known faults are `confirmed` as the first answer."""
    result = grader.file(chaff.exercise, chaff.path)
    failed = [c for c in result.checks if c.outcome != "passed"]
    assert failed, "nothing is wrong with it"
    if chaff.tier == "edge":
        assert result.status == "passed"
        named = {f.id for d in result.diagnoses for f in d.faults}
        assert chaff.faults <= named
        return
    assert result.status != "passed"
    assert result.diagnoses
    first = result.diagnoses[0]
    if chaff.faults:
        assert {f.id for f in first.faults} == chaff.faults
        assert first.confidence == "confirmed"
    else:
        assert (first.confidence == "unrecognised") == (not first.faults)
