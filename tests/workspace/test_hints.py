"""The ladder: of the diagnosed mistake, one rung at a time, none twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from grader.data import skeleton_folder
from grader.exercises.registry import all_exercises
from grader.marking.records import Diagnosis, NamedFault
from grader.submission.decoding import parse_source
from grader.submission.files import SourceFile
from grader.text import Text
from grader.workspace.hints import Answer, answer, given_hints, ladders, remember
from grader.workspace.place import Workspace
from tests.workspace.support import hint, run


def named(name: str, *rungs: str, tier: str = "core") -> Diagnosis:
    fault = NamedFault(name, Text.same(name), Text("", ""), tuple(map(Text.same, rungs)), "attention.py", 4)
    return Diagnosis((fault,), tier, "confirmed", Text("", ""))


def skeleton(name: str) -> SourceFile:
    return parse_source(name, f"{name}.py", (skeleton_folder() / f"{name}.py").read_bytes())


TWO = (named("edge-one", "e1", tier="edge"), named("first", "a", "b"), named("second", "c"))


def climb(given: Counter[tuple[str, str]], *diagnoses: Diagnosis) -> Answer:
    """Asks once, and notes what was given."""
    found = answer("attention", "failed", diagnoses, None, given)
    if found.kind == "hint" and found.ladder is not None:
        given[found.exercise, found.ladder.key] = found.rung
    return found


def test_rungs_are_climbed_in_order_core_first_and_never_twice() -> None:
    given: Counter[tuple[str, str]] = Counter()
    texts = [climb(given, *TWO).text for _ in range(5)]
    assert [t.en if t else None for t in texts] == ["a", "b", "c", "e1", None]
    assert climb(given, *TWO).kind == "exhausted"
    assert [(ladder.key, n) for ladder, n in climb(given, *TWO).given] == [
        ("first", 2),
        ("second", 1),
        ("edge-one", 1),
    ]


def test_another_mistake_has_its_own_ladder() -> None:
    given: Counter[tuple[str, str]] = Counter()
    climb(given, *TWO)
    assert climb(given, named("third", "x")).rung == 1
    assert climb(given, *TWO).rung == 2


def test_what_a_report_said_counts_as_given() -> None:
    events = [
        run(1, "attention", "failed", "missing-scale", "mask-inverted"),
        hint(2, "attention", "mask-inverted", 2),
        hint(3, "attention", "mask-inverted", 1),
    ]
    assert given_hints(events) == {("attention", "missing-scale"): 1, ("attention", "mask-inverted"): 2}


def test_hints_are_remembered(tmp_path: Path) -> None:
    workspace = Workspace.make(tmp_path)
    assert remember(workspace, answer("attention", "failed", TWO, None, {}))
    assert given_hints(workspace.events()) == {("attention", "first"): 1}


def test_passed_with_and_without_points_missing() -> None:
    assert answer("attention", "passed", (), None, {}).kind == "passed"
    found = answer("attention", "passed", TWO[:1], None, {})
    assert (found.kind, found.edge) == ("hint", True)


def test_an_unrecognised_mistake_tells_where_the_numbers_part() -> None:
    unknown = Diagnosis((), "core", "unrecognised", Text("line 4", "第 4 行"))
    found = answer("attention", "failed", (unknown,), None, {})
    assert (found.kind, found.evidence) == ("unrecognised", Text("line 4", "第 4 行"))


def test_without_anything_to_go_by_the_note_is_given() -> None:
    assert answer("attention", "blocked", (), None, {}, Text("n", "注")).note == Text("n", "注")


@pytest.mark.parametrize("name", [e.id for e in all_exercises()])
def test_where_to_start_comes_from_the_skeleton(name: str) -> None:
    file = skeleton(name)
    found = ladders(name, (named("not-implemented", "general"),), file)
    assert [ladder.line for ladder in found] == sorted(ladder.line or 0 for ladder in found)
    assert {ladder.key.split(":")[1] for ladder in found} == set(
        file.unfinished(next(e for e in all_exercises() if e.id == name))
    )
    assert all(rung.en[0].isupper() and "TODO" not in rung.en for ladder in found for rung in ladder.rungs)
    assert ladders(name, (named("not-implemented"),), None)  # no file: everything is to be written


def test_a_mistake_in_what_is_written_comes_before_what_is_not() -> None:
    found = ladders("masks", (named("not-implemented", "x"), named("mask-inverted", "a")), skeleton("masks"))
    assert found[0].key == "mask-inverted"
    assert found[1].key == "not-implemented:padding_mask"
