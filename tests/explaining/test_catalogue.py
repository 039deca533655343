"""Every mistake has a demonstration, or a reason why it has none; every demonstration can be computed."""

from __future__ import annotations

from collections import Counter

import pytest

from grader.errors import UsageError
from grader.exercises.registry import load_room, module_names
from grader.exercises.texts import fault_texts
from grader.explaining.catalogue import THEMES, TOPICS, Theme, theme_of, why_none
from grader.explaining.records import Bars, Demonstration, Grids, Table
from grader.explaining.run import all_faults, explain, titles
from grader.explaining.where import exercises_of, faults_of
from grader.explaining.without import WITHOUT
from grader.text import Text

LEAST = 0.85  # of the mistakes have a demonstration


def test_every_mistake_has_a_demonstration_or_a_reason() -> None:
    catalogued = {fault for name in module_names() for fault in load_room(name).catalogue.ids()}
    lacking = {f for f in catalogued | set(all_faults()) if theme_of(f) is None and why_none(f) is None}
    assert not lacking
    shown = [f for f in catalogued if theme_of(f) is not None]
    assert len(shown) >= LEAST * len(catalogued)


def test_no_mistake_stands_twice_or_is_unknown() -> None:
    counted = Counter(fault for theme in THEMES for fault in theme.faults)
    assert not [fault for fault, times in counted.items() if times > 1]
    assert not counted.keys() & WITHOUT.keys()
    assert not (counted.keys() | WITHOUT.keys()) - set(all_faults())


@pytest.mark.parametrize("exercise", module_names())
def test_where_a_mistake_can_be_made(exercise: str) -> None:
    """Without loading a room, the same as its catalogue says (its texts may have more)."""
    catalogued = set(load_room(exercise).catalogue.ids())
    found = set(faults_of(exercise))
    assert not catalogued - found
    assert not found - catalogued - set(fault_texts(exercise))


def _words(demonstration: Demonstration) -> list[Text]:
    found = [demonstration.lead, demonstration.lesson, *(part.caption for part in demonstration.parts)]
    for part in demonstration.parts:
        if isinstance(part, Table):
            found += [cell for r in part.rows for cell in r.cells if isinstance(cell, Text)]
        elif isinstance(part, Bars):
            found += [bar.label for bar in part.bars if isinstance(bar.label, Text)]
        elif isinstance(part, Grids):
            found += [grid.title for grid in part.grids]
    return found


def _same(a: float, b: float) -> bool:
    """But for rounding, which may differ with where a tensor lies in memory."""
    return a == pytest.approx(b, rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("theme", [*THEMES, *TOPICS], ids=lambda t: t.function)
def test_every_demonstration_is_computed(theme: Theme) -> None:
    """Twice the same, in both languages, with columns for every cell."""
    one, other = theme.demonstrate(), theme.demonstrate()
    assert all(_same(value, other.facts[name]) for name, value in one.facts.items())
    assert one.facts
    assert all(words.en.strip() and words.zh.strip() for words in _words(one))
    for part in one.parts:
        if isinstance(part, Table):
            assert {len(r.cells) for r in part.rows} == {len(part.head)}


def test_the_texts_of_a_mistake() -> None:
    found = explain("scale-hard-coded")
    assert "{" not in found.title.en + found.title.zh
    assert found.exercises[0] == "attention"
    assert found.demonstration is not None


def test_the_words_of_an_exercise() -> None:
    """Of a mistake that two exercises explain, the one that is asked for."""
    assert explain("view-not-contiguous", "masks").explanation != explain("view-not-contiguous").explanation


def test_a_mistake_without_a_demonstration_says_why() -> None:
    found = explain("syntax-error")
    assert found.demonstration is None
    assert found.reason is not None
    assert found.exercises == module_names()


def test_a_topic() -> None:
    found = explain("attention-memory")
    assert not found.exercises
    assert found.demonstration is not None


@pytest.mark.parametrize(
    ("word", "near"),
    [("mising-scale", "missing-scale"), ("MASK_INVERTED", "mask-inverted"), ("layernorm", "layer_norm")],
)
def test_a_word_that_is_nearly_one(word: str, near: str) -> None:
    with pytest.raises(UsageError, match=near):
        explain(word)


def test_a_word_that_is_none() -> None:
    with pytest.raises(UsageError, match="lists them"):
        explain("zzzz")


def test_titles_have_no_open_places() -> None:
    for name in module_names():
        assert not [t for t in titles(name).values() if "{" in t.en + t.zh]
        assert all(exercises_of(fault) for fault in titles(name))
