"""The line that is marked is the one that the header of a wrong submission names."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from grader.errors import SubmissionError
from grader.text import Text
from grader.tracing.records import Mark
from tests.support import Example, examples
from tests.tracing.conftest import Traced

CHAFFS = [c for c in examples("chaffs") if c.line is not None and c.faults]


def for_each_fault() -> list[Example]:
    chosen: dict[tuple[str, frozenset[str]], Example] = {}
    for chaff in CHAFFS:
        chosen.setdefault((chaff.exercise, chaff.faults), chaff)
    return list(chosen.values())


def share(traced: Traced, chaffs: Iterable[Example]) -> tuple[int, int, list[str]]:
    """How many have a mark within one of the header's line, of how many that run at all."""
    right = told = 0
    misses: list[str] = []
    for chaff in chaffs:
        assert chaff.line is not None
        try:
            trace = traced(chaff.exercise, chaff.path)
        except SubmissionError:  # a name that is missing, an import that fails
            continue
        told += 1
        marks = [n.line for n in trace.lines if n.mark in (Mark.WRONG, Mark.RAISED)]
        if any(abs(line - chaff.line) <= 1 for line in marks):
            right += 1
        else:
            misses.append(f"{chaff.id}: {marks}; it is at {chaff.line}")
    return right, told, misses


def test_marked_lines(traced: Traced) -> None:
    right, told, misses = share(traced, for_each_fault()[5::45])
    print(f"{right} of {told} lines", *misses, sep="\n")  # noqa: T201
    assert told >= 10
    assert right >= 0.85 * told, misses


@pytest.mark.slow
def test_more_marked_lines(traced: Traced) -> None:
    right, told, misses = share(traced, for_each_fault()[::4])
    print(f"{right} of {told} lines", *misses, sep="\n")  # noqa: T201
    assert right >= 0.9 * told, misses


@pytest.mark.parametrize("name", ["missing_scale_matmul"])
def test_a_known_mistake_is_named_on_its_line(traced: Traced, name: str) -> None:
    chaff = next(c for c in CHAFFS if c.path.stem == name)
    trace = traced(chaff.exercise, chaff.path)
    wrong = trace.first_wrong
    assert wrong is not None
    assert wrong.note is not None
    assert "not divided by sqrt(d_k)" in wrong.note.en
    assert trace.faults == ("missing-scale",)


def test_an_unknown_mistake_is_followed(traced: Traced) -> None:
    """No mistake of the catalogue, and grading asked nothing: the values show where it leaves the model."""
    text = (
        "import math\nimport torch\n\n\n"
        "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):\n"
        "    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))\n"
        "    bent = scores + 0.3 * scores**2\n"
        "    if mask is not None:\n"
        "        bent = bent.masked_fill(mask == 0, float('-inf'))\n"
        "    weights = torch.softmax(bent, dim=-1)\n"
        "    return weights @ value, weights\n"
    )
    trace = traced("attention", text, graded=False)
    wrong = trace.first_wrong
    assert wrong is not None
    assert wrong.line == 7
    assert [n.line for n in trace.lines if n.mark is Mark.RIGHT] == [6]


def test_where_nothing_can_be_made_out_that_is_said(traced: Traced) -> None:
    """Wrong, and no value that the model could go on from."""
    text = (
        "import torch\n\n\n"
        "def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):\n"
        "    shape = query.shape[:-1]\n"
        "    return torch.ones(*shape, value.size(-1)), torch.ones(*shape, key.size(-2))\n"
    )
    trace = traced("attention", text, graded=False)
    assert not trace.right
    assert trace.first_wrong is not None or "not right" in (trace.note or Text("", "")).en
