"""The line of a diagnosis is that of the mistake, within one, and words find their lines."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import torch

from grader.diagnosis.locate import Fit, fit
from grader.diagnosis.places import line_of_words
from grader.submission.source import parse_source
from tests.support import Example, Grader, examples

SHARE = 0.92  # of the fast subset: a third of the mistakes, the rare as often as the common ones
CHAFFS = [c for c in examples("chaffs") if c.line is not None and c.faults]


def one_for_each_fault() -> list[Example]:
    chosen: dict[tuple[str, frozenset[str]], Example] = {}
    for chaff in CHAFFS:
        chosen.setdefault((chaff.exercise, chaff.faults), chaff)
    return list(chosen.values())


def share_of_lines(grader: Grader, chaffs: Iterable[Example]) -> tuple[int, int, list[str]]:
    """How many lines are right, of how many right diagnoses, and the misses in words.

    What is missing belongs at more than one line: for the scale, both the product's and the
    softmax's are right.
    """
    right = told = 0
    misses: list[str] = []
    for chaff in chaffs:
        assert chaff.line is not None
        result = grader.file(chaff.exercise, chaff.path)
        named = [f for d in result.diagnoses for f in d.faults if f.id in chaff.faults]
        if {f.id for f in named} != chaff.faults:
            continue
        told += 1
        near = any(f.line is not None and abs(f.line - chaff.line) <= 1 for f in named)
        if near or "missing-scale" in chaff.faults:
            right += 1
        else:
            places = ", ".join(f"{f.id} at {f.line}" for f in named)
            misses.append(f"{chaff.id}: {places}; it is at {chaff.line}")
    return right, told, misses


def test_lines(grader: Grader) -> None:
    right, told, misses = share_of_lines(grader, one_for_each_fault()[::3])
    print(f"{right} of {told} lines", *misses, sep="\n")  # noqa: T201
    assert right >= SHARE * told, misses


@pytest.mark.slow
def test_all_lines(grader: Grader) -> None:
    right, told, misses = share_of_lines(grader, CHAFFS)
    print(f"{right} of {told} lines", *misses, sep="\n")  # noqa: T201
    assert right >= 0.95 * told, misses


SOURCE = b"""\
class Block(nn.Module):
    def __init__(self, d_model, eps, flag):
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.register_buffer("pe", torch.zeros(1))
        self.order = not flag
        self.zap = nn.Dropout(0.1)

    def forward(self, x, mask=None):
        x.masked_fill(mask, 0.0)
        x = x + self.norm(self.attend(x, mask=None))
        x = x / d_model ** 0.5
        return self.zap(self.norm(x).detach())
"""


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("detach", 13),
        ("return", 13),
        ("def forward", 9),
        ("norm=", 4),
        ("pe=", 5),
        ("norm=!eps", 4),
        ("LayerNorm(!eps", 4),
        ("LayerNorm(!d_model", None),
        ("attend(!mask", 11),
        ("forward:norm", 11),
        ("forward:norm#2", 13),
        ("if flag", 6),
        ("dropout()", 13),
        ("discarded", 10),
        ("+norm", 11),
        ("**", 12),
        ("last", 13),
        ("?detach", None),
    ],
)
def test_words(word: str, line: int | None) -> None:
    file = parse_source("block", "block.py", SOURCE)
    assert line_of_words(file, (word,), "Block") == line


def test_fit_prefers_the_same_shape() -> None:
    value = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    assert fit(value, value) is Fit.EXACT
    assert fit(value.float(), value) is Fit.EXACT
    assert fit(value.reshape(6, 4, 5), value) is Fit.RESHAPED
    assert fit(value[:, 1], value) is Fit.PART
    assert fit(value.transpose(2, 3), value) is Fit.PERMUTED
    assert fit(value + 1e-2, value) is Fit.NONE
