"""The bank of questions: whole, in both languages, and about mistakes that exist."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from grader.exercises.registry import module_names
from grader.exercises.texts import fault_texts
from grader.interview.questions import asked_after, parse, questions_of


@pytest.mark.parametrize("name", module_names())
def test_each_exercise_has_its_questions(name: str) -> None:
    found = questions_of(name)
    assert len(found) >= 5
    for question in found:
        for words in (question.question.en, question.question.zh):
            assert words.endswith(("?", "？", "why.")) or "?" in words or "？" in words
            assert "\n" not in words
        assert len(question.answer.en) > 150
        assert len(question.answer.zh) > 60
        assert not re.search("[\u4e00-\u9fff]", question.question.en + question.answer.en)
        assert re.search("[\u4e00-\u9fff]", question.answer.zh)
        assert "faults:" not in question.answer.zh


@pytest.mark.parametrize("name", module_names())
def test_the_mistakes_exist(name: str) -> None:
    known = {**fault_texts(name), **fault_texts("common")}
    if name != "attention":
        known |= fault_texts("attention")  # a later exercise may have them as well
    for question in questions_of(name):
        assert question.faults
        for pattern in question.faults:
            assert any(fnmatchcase(fault, pattern) for fault in known), (question.id, pattern)


def test_what_went_wrong_is_asked_first() -> None:
    first = [q.id for q in asked_after("attention", ["dropout-on-scores", "mask-inverted"])]
    assert first[:2] == ["dropout-place", "why-inf-before-softmax"]
    assert len(first) == 5
    assert [q.id for q in asked_after("attention", [])] == [q.id for q in questions_of("attention")][:5]


def test_a_section() -> None:
    text = "# Title\n\n## one\nWhy?\nfaults: a-* b\n\nBecause.\n\nAnd so on.\n\n## two\nHow?\n\nSo.\n"
    assert parse(text) == {
        "one": ("Why?", "Because.\n\nAnd so on.", ("a-*", "b")),
        "two": ("How?", "So.", ()),
    }
