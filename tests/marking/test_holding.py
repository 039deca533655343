"""How much attention holds: counted where it passed, told where less is enough, never marked."""

from __future__ import annotations

import pytest

from grader.exercises.registry import load_numerics
from grader.marking.records import ExerciseResult, Held
from grader.reports.holding import holding_text
from grader.text import Text
from tests.support import ROOT, Grader

MANY = """
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1)
    scaled = scores / math.sqrt(query.size(-1))
    masked = scaled
    if mask is not None:
        masked = scaled.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(masked, dim=-1)
    rest = torch.nan_to_num(weights)
    if dropout is not None:
        rest = dropout(rest)
    return rest @ value, rest
"""


@pytest.mark.parametrize("exercise", ["attention", "multi_head_attention"])
def test_what_is_enough_is_what_the_solution_holds(grader: Grader, exercise: str) -> None:
    numerics = load_numerics(exercise)
    assert numerics is not None
    found = grader.file(exercise, ROOT / "solutions" / f"{exercise}.py")
    assert found.held == Held(numerics.positions, numerics.suffice, numerics.suffice)


def test_five_are_five_and_cost_nothing(grader: Grader) -> None:
    found = grader.text("attention", MANY)
    assert found.passed
    assert found.score == found.max_score
    assert found.held is not None
    assert found.held.tensors == 5


def test_nothing_is_counted_of_what_has_not_passed_or_has_no_attention(grader: Grader) -> None:
    assert grader.text("attention", MANY.replace(" / math.sqrt(query.size(-1))", " * 1")).held is None
    assert grader.file("masks", ROOT / "solutions" / "masks.py").held is None


def result(name: str, held: Held | None) -> ExerciseResult:
    return ExerciseResult(name, Text.same(name), "passed", 1.0, 1.0, 0.1, held=held)


def test_it_is_said_once_with_sizes() -> None:
    five = Held(128, 5, 3)
    said = holding_text(
        [result("attention", five), result("multi_head_attention", five), result("masks", None)]
    )
    assert said is not None
    assert said.en.startswith(
        "Memory: attention (multi_head_attention too) holds as much as 5 tensors of S × S for each head at "
        "once, where 3 are enough. At 512 positions, with 8 heads in float32, that is 40 MiB"
    )
    assert "24 MiB" in said.en
    assert "`grade explain attention-memory`" in said.en
    assert "同时保留了相当于每个头 5 个 S × S 的张量，而 3 个就够了" in said.zh


def test_nothing_is_said_where_it_is_enough() -> None:
    assert holding_text([result("attention", Held(128, 3, 3)), result("masks", None)]) is None
