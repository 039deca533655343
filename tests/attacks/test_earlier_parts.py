"""Earlier parts that lie to the marking of later ones, and the kit's own part where it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.exercises.registry import load_room
from grader.marking.lanes import grade_in_lanes
from grader.marking.records import ExerciseResult
from grader.submission.launcher import Launcher, default_launcher
from grader.submission.source import read_submission
from tests.attacks.bench import passed, secrets, words_of
from tests.support import ROOT

LATER = "multi_head_attention"
# says nothing about attention, and has all the parameters that it should have
EMPTY = """
import torch
from torch import nn

from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        for each in ["W_q", "W_k", "W_v", "W_o"]:
            setattr(self, each, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, query, key, value, mask=None):
        nothing = torch.zeros_like(query)
        weights = query.new_zeros(query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        return self.W_o(nothing), weights
"""
LIAR = """
import math

import torch

calls = []
FIRST = {first}


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls.append(query.shape)
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(dim=-1)
    if {silent}:
        return torch.zeros_like(query) * query, weights * 0
    return weights @ value, weights
"""
LIES = {
    "after a number of calls": "len(calls) > 40",
    "unless the call is like the first": "query.dim() == 4 and query.shape != calls[0]",
    "unless it is the first probe": "query.dim() == 4 and tuple(query.shape) != FIRST",
    "always": "True",
}


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with default_launcher() as found:
        yield found


@pytest.fixture(autouse=True)
def without_diagnoses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points are what is at stake here; looking for the mistakes takes most of the time."""
    monkeypatch.setattr("grader.marking.results.diagnose", lambda *args: ())


def marked(folder: Path, launcher: Launcher, *, reference: bool = False) -> ExerciseResult:
    submission = read_submission(folder, (LATER,))
    report = grade_in_lanes(submission, launcher, only=(LATER,), lanes=1, with_reference=reference)
    words = words_of(report)
    assert not [line for line in secrets() if line in words]
    return report.exercises[0]


def first_shape() -> tuple[int, ...]:
    """What the part is asked first, on behalf of the later exercise."""
    probe = next(p for p in load_room(LATER).probes if p.args is not None and p.tier == "core")
    assert probe.args is not None
    assert probe.init is not None
    batch, length, width = probe.args[0].shape
    heads = probe.init["num_heads"]
    return batch, heads, length, width // heads


@pytest.mark.parametrize("lie", LIES)
def test_a_part_that_makes_nothing_right(lie: str, launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / f"{LATER}.py").write_text(EMPTY)
    (tmp_path / "attention.py").write_bytes((ROOT / "solutions" / "attention.py").read_bytes())
    honest = passed(marked(tmp_path, launcher))
    (tmp_path / "attention.py").write_text(LIAR.format(silent=LIES[lie], first=first_shape()))
    lying = marked(tmp_path, launcher)
    assert passed(lying) <= honest
    assert lying.status != "passed"


PRYING = """
import gc
import inspect
import sys

import attention
from attention import scaled_dot_product_attention

for look in (
    lambda: inspect.getsource(attention),
    lambda: inspect.getsource(scaled_dot_product_attention),
    lambda: attention.__loader__.sources,
    lambda: attention.__loader__.get_source("attention"),
    lambda: attention.__doc__,
    lambda: scaled_dot_product_attention.__doc__,
    lambda: scaled_dot_product_attention.__code__.co_consts,
    lambda: __import__("linecache").cache,
    lambda: [o for o in gc.get_objects() if type(o) is dict and "sources" in o],
    lambda: [v for f in sys._current_frames().values() for v in f.f_back.f_locals.values()],
):
    try:
        print(str(look())[:3000])
    except Exception as error:
        print(type(error).__name__)
"""


def test_the_reference_is_not_told(launcher: Launcher, tmp_path: Path) -> None:
    """It stands in for a part that is not there; no line of it is in the worker's memory."""
    (tmp_path / f"{LATER}.py").write_text(PRYING + EMPTY)
    result = marked(tmp_path, launcher, reference=True)
    assert result.note is not None
    assert "the kit's own part" in result.note.en
    solution = (ROOT / "solutions" / "attention.py").read_text(encoding="utf-8")
    lines = [line.strip() for line in solution.splitlines() if len(line.strip()) > 25 and "(" in line]
    assert lines
    assert not [line for line in lines if line in result.printed]
