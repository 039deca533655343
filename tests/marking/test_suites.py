"""The suites are collected once, and leave nothing of one submission to the next."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.exercises.properties import tried
from grader.exercises.registry import all_exercises, exercise
from grader.marking import run, suites
from grader.marking.lab import Lab
from grader.marking.plugin import run_suite
from grader.marking.suites import suites_of
from tests.support import ROOT, Grader


def test_every_suite_has_the_checks_of_its_exercise() -> None:
    found = suites_of(all_exercises())
    for one in all_exercises():
        assert {item.name.removeprefix("test_") for item in found[one.id]} == set(one.checks)
        assert all(item._fixtureinfo.argnames == ("lab",) for item in found[one.id])


def test_pytest_collects_a_suite_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one = [exercise("masks")]
    first = suites_of(one)
    monkeypatch.setattr(suites, "_collected", None)
    assert suites_of(one)["masks"] is first["masks"]


def test_the_environment_is_as_before() -> None:
    before = dict(os.environ)
    suites._collected([exercise("masks").suite.resolve()])
    assert dict(os.environ) == before


def test_nothing_of_a_submission_is_left(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    labs: list[weakref.ref[Lab]] = []

    def watched(which: Any, items: Any, lab: Lab) -> Any:
        labs.append(weakref.ref(lab))
        return run_suite(which, items, lab)

    monkeypatch.setattr(run, "run_suite", watched)
    text = (ROOT / "solutions" / "masks.py").read_text()
    wrong = text.replace("==", "!="), text.replace("return", "return None and")
    for handed_in in (text, *wrong):  # imports what it takes
        grader.text("masks", handed_in)
    gc.collect()  # what other tests have left
    modules, files = set(sys.modules), len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc") else 0
    for handed_in in (text, *wrong):
        grader.text("masks", handed_in)
    gc.collect()
    assert [lab() for lab in labs] == [None] * 6
    assert set(sys.modules) == modules
    assert not files or len(os.listdir("/proc/self/fd")) == files


# -- properties -------------------------------------------------------------------------------------


@dataclass
class Limit:
    most: int
    shrinks: bool = True


def tried_property(*examples: dict[str, Any]) -> tuple[Any, list[tuple[int, ...]]]:
    seen: list[tuple[int, ...]] = []

    @tried(*examples)
    @given(data=st.data())
    def check(lab: Any, data: st.DataObject) -> None:
        """It holds"""
        count = data.draw(st.integers(1, 2), label="count")
        numbers = tuple(data.draw(st.integers(0, 50), label="number") for _ in range(count))
        seen.append(numbers)
        if max(numbers) > lab.most:
            raise ValueError(numbers)

    return check, seen


EXAMPLES = {"count": 1, "number": 21}, {"count": 2, "number": [50, 7]}


def test_a_property_is_tried_on_its_examples_and_on_no_others() -> None:
    check, seen = tried_property(*EXAMPLES)
    for _ in range(2):
        seen.clear()
        check(Limit(50))
        assert seen == [(21,), (50, 7)]
    assert (check.__doc__, check.__name__) == ("It holds", "check")


def test_an_example_that_fails_makes_hypothesis_look_and_shrink() -> None:
    check, seen = tried_property(*EXAMPLES)
    with pytest.raises(ValueError, match=r"\(11,\)"):
        check(Limit(10))
    assert len(seen) > 10


def test_the_example_counts_where_other_checks_fail_too() -> None:
    check, seen = tried_property(*EXAMPLES)
    with pytest.raises(ValueError, match=r"\(21,\)"):
        check(Limit(10, shrinks=False))
    assert seen == [(21,)]


def test_an_example_counts_where_hypothesis_finds_none() -> None:
    @tried({"number": 123_456_789})
    @given(data=st.data())
    def check(lab: Any, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, 10**9), label="number")
        if number == 123_456_789:
            raise ValueError(number)

    with pytest.raises(ValueError, match="123456789") as failure:
        check(Limit(0))
    assert failure.value.__context__ is None  # it would hold what the check held


SEVEN_KEYS = """
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, -1).nan_to_num(0.0)
    if key.size(-2) == 7:
        weights = weights.flip(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
"""


def test_what_a_property_alone_shows_is_shown_on_the_smallest_example(grader: Grader) -> None:
    """And on the chosen one, which takes no search, where other checks show it too."""
    assert "query (1, 1), key (7, 1), value (7, 1)" in any_shapes(grader, SEVEN_KEYS)
    other = SEVEN_KEYS.replace("math.sqrt", "float")
    assert "query (3, 7, 16), key (3, 2, 16), value (3, 2, 5)" in any_shapes(grader, other)


def any_shapes(grader: Grader, text: str) -> str:
    checks = grader.text("attention", text).checks
    return next(str(c.message.en) for c in checks if c.id == "any_shapes")
