"""Mutants lose points, but for those of which `survivors.toml` says why they are right.

The fast run takes a sample; ``-m slow`` takes all, as ``python -m benchmarks.mutants`` does.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing

import pytest

from benchmarks.mutants.choose import NUMBER, chosen, sources
from benchmarks.mutants.grading import Bench, Entry, graded
from benchmarks.mutants.report import named_lines
from benchmarks.mutants.survivors import Survivor, found, known_survivors
from grader.exercises.registry import module_names

SAMPLE = 4  # of each exercise
SURVIVORS = known_survivors()
RIGHT = {s.key for s in SURVIVORS}


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with closing(Bench()) as found:
        yield found


@pytest.mark.parametrize("exercise", module_names())
def test_a_sample_is_killed(bench: Bench, exercise: str) -> None:
    some = [m for m in chosen(60 * len(module_names()), exercises=[exercise]) if m.key not in RIGHT]
    assert len(some) > 30
    outcomes = [bench.outcome(m) for m in random.Random(exercise).sample(some, SAMPLE)]
    assert not [o.id for o in outcomes if o.error]
    assert not [f"{o.id}\n{o.diff}" for o in outcomes if not o.killed]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", module_names())
def test_all_are_killed(exercise: str) -> None:
    wanted = [m for m in chosen(NUMBER, exercises=[exercise]) if m.key not in RIGHT]
    outcomes = list(graded(wanted))
    assert not [f"{o.id}: {o.error}" for o in outcomes if o.error]
    assert not [f"{o.id}\n{o.diff}" for o in outcomes if not o.killed]


# -- the list of those that are right ---------------------------------------------------------------


def _of(exercise: str) -> list[Survivor]:
    return [s for s in SURVIVORS if s.source.startswith(f"{exercise}/")]


@pytest.mark.parametrize("exercise", module_names())
def test_the_survivors_still_apply(exercise: str) -> None:
    by_name = {s.id: s for s in sources(exercise)}
    assert _of(exercise)
    gone = [s for s in _of(exercise) if s.source not in by_name or found(s, by_name[s.source]) is None]
    assert not gone


@pytest.mark.parametrize("exercise", module_names())
def test_a_sample_of_the_survivors_survives(bench: Bench, exercise: str) -> None:
    by_name = {s.id: s for s in sources(exercise)}
    for survivor in random.Random(exercise).sample(_of(exercise), 1):
        mutant = found(survivor, by_name[survivor.source])
        assert mutant is not None
        outcome = bench.outcome(mutant)
        assert not outcome.error
        assert not outcome.lost, f"{survivor.reason}\n{survivor.diff}\nis in the list, and loses points"


def test_every_survivor_is_listed_once_and_explained() -> None:
    assert not [key for key, count in Counter(s.key for s in SURVIVORS).items() if count > 1]
    reasons: dict[str, set[str]] = defaultdict(set)
    for survivor in SURVIVORS:
        reasons[survivor.reason].add(survivor.why)
    assert all(len(why.split()) > 8 for texts in reasons.values() for why in texts)


def test_a_first_divergence_names_the_lines_that_are_not_right() -> None:
    words = "With x:\nattention.py:26 is right: the scores.\nattention.py:28 should be the weights, but is 0."
    assert named_lines(Entry("unrecognised", "core", (), (), words)) == [28]
    assert named_lines(Entry("confirmed", "core", ("missing-scale", "other"), (7, None), words)) == [7]
