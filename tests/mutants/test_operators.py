"""The operators do what their examples say, and a mutant differs from its source in one place."""

from __future__ import annotations

import ast

import pytest

from benchmarks.mutants.choose import chosen, sources
from benchmarks.mutants.mutation import Source, changes, difference, mutants, replaced
from benchmarks.mutants.operators import OPERATORS, Example, Operator, Place
from grader.exercises.registry import module_names

EXAMPLES = [(operator, example) for operator in OPERATORS.values() for example in operator.examples]


@pytest.mark.parametrize(("operator", "example"), EXAMPLES, ids=lambda x: getattr(x, "name", None))
def test_examples(operator: Operator, example: Example) -> None:
    place = Place(ast.parse(example.before))
    made = [replaced(example.before, place, *change) for change in changes(place, operator, everywhere=True)]
    assert [ast.unparse(ast.parse(text or "")) for text in made] == [
        ast.unparse(ast.parse(after)) for after in example.after
    ]


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)
def test_an_operator_says_what_it_does_and_shows_it(operator: Operator) -> None:
    assert operator.meaning.endswith(".")
    assert any(example.after for example in operator.examples)


SOURCE = '''import torch


@torch.no_grad()
def f(x: int, 宽=1):
    """A docstring of 1."""
    print(x + 1)
    名 = x @ x.T  # 乘
    if 宽 == 1:
        raise ValueError(f"{x + 1}")
    return 名 / 宽


y = 1 + 1
'''


def test_only_what_is_graded_is_mutated() -> None:
    source = Source("attention", "made_up", SOURCE)
    found = mutants(source)
    lines = {m.line for m in found}
    assert lines == {5, 8, 9, 10, 11}  # no import, docstring, print, annotation, nor what is outside
    assert {m.operator for m in found if m.line == 10} == {"delete-statement", "exception"}
    assert {m.operator for m in found if m.line == 5} == {"decorator", "constant"}


def test_a_mutant_keeps_all_other_lines() -> None:
    before = SOURCE.splitlines()
    one_line = [m for m in mutants(Source("attention", "made_up", SOURCE)) if isinstance(m.old, ast.expr)]
    texts = [m.text.splitlines() for m in one_line if m.text is not None]
    assert len(texts) > 20
    for after in texts:
        assert len(after) == len(before)
        assert sum(b != a for b, a in zip(before, after)) == 1


def test_a_difference() -> None:
    assert difference("a\n  b\nc", "a\n  d\nc") == "- b\n+ d"
    assert difference("a\nb", "a") == "- b"


def test_the_choice_is_the_same_twice_and_even() -> None:
    number = 20 * len(module_names())
    first = chosen(number, exercises=["masks"])
    assert [m.id for m in first] == [m.id for m in chosen(number, exercises=["masks"])]
    assert len(first) == 20
    assert len({m.operator for m in first}) > 15
    assert len({m.plain for m in first}) == 20
    assert [m.id for m in chosen(number, exercises=["masks"], seed="another")] != [m.id for m in first]
    limited = chosen(number, exercises=["masks"], operators=["slice"])
    assert {m.operator for m in limited} == {"slice"}


def test_sources_are_the_solution_and_the_right_submissions() -> None:
    names = [s.id for s in sources("masks")]
    assert names[0] == "masks/solution"
    assert len(names) > 8
