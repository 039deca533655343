"""The first divergence: which line is the last right one, which the first wrong one, and in what."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import torch

from grader.diagnosis.matching import match
from grader.diagnosis.model import Model, predict
from grader.diagnosis.route import AXES
from grader.exercises.registry import load_room, load_routes, module_names
from grader.threads import one_thread
from tests.support import Grader

CHINESE = re.compile("[\u4e00-\u9fff]")
ROUTES = [
    (name, target, number)
    for name in module_names()
    for target, routes in load_routes(name).items()
    for number in range(len(routes))
]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


@pytest.mark.parametrize(("name", "target", "number"), ROUTES)
def test_every_route_comes_to_the_right_result(name: str, target: str, number: int) -> None:
    route, room = load_routes(name)[target][number], load_room(name)
    probes = [p for p in room.probes if p.target == target and p.tier == "core" and p.args is not None]
    assert probes
    for probe in probes:
        if probe.grad:
            continue
        right = predict(room.models[target], probe)
        assert match(right, predict(route.model, probe).seen, probe) is not None, probe.name


@pytest.mark.parametrize(("name", "target", "number"), ROUTES)
def test_every_step_that_gives_a_tensor_has_a_name(name: str, target: str, number: int) -> None:
    route, room = load_routes(name)[target][number], load_room(name)
    for step, called in route.names.items():
        assert called.words.en.strip(), step
        assert called.words.zh.strip(), step
        assert not CHINESE.search(called.words.en), step
        assert set(called.axes.split()) <= set(AXES), step
    lacking = _tensors(route.model, room, target) - set(route.names) - {"result"}
    assert not lacking


def _tensors(model: Model, room, target: str) -> set[str]:  # type: ignore[no-untyped-def]
    found: set[str] = set()
    for probe in room.probes:
        if probe.target == target and probe.args is not None and not probe.grad:
            state = predict(model, probe).state
            if state is not None:
                found |= {n for n in model.steps if isinstance(getattr(state, n, None), torch.Tensor)}
    return found


ATTENTION = """\
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e30)
    {before}
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    {after}
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
"""


def evidence(grader: Grader, exercise: str, source: str) -> str:
    """What the first diagnosis rests on, of a submission with a mistake that is in no catalogue."""
    result = grader.text(exercise, source)
    assert result.status == "failed"
    first = result.diagnoses[0]
    assert first.confidence == "unrecognised", [f.id for f in first.faults]
    assert len(first.evidence.en.splitlines()) == len(first.evidence.zh.splitlines())
    assert CHINESE.search(first.evidence.zh)
    return str(first.evidence.en)


@pytest.mark.parametrize(
    ("before", "after", "right", "wrong"),
    [
        ("scores = scores - scores.mean(-1, keepdim=True).abs() * scores", "", 6, 9),
        ("scores = torch.sin(scores)", "", 6, 9),
        ("", "weights = weights.pow(3)", 10, 13),
        ("", "weights = weights.flip(-2)", 10, 13),
    ],
)
def test_the_lines_are_named(grader: Grader, before: str, after: str, right: int, wrong: int) -> None:
    source = ATTENTION.format(before=before or "pass", after=after or "pass")
    words = evidence(grader, "attention", source)
    assert f"attention.py:{right} is right" in words
    named = [int(n) for n in re.findall(r"attention\.py:(\d+)", words)]
    assert max(named) == wrong
    assert f"attention.py:{wrong} is right" not in words


def test_the_whole_text(grader: Grader) -> None:
    source = ATTENTION.format(before="scores = torch.sin(scores)", after="pass")
    assert evidence(grader, "attention", source).splitlines() == [
        "With three-dimensional input without a mask:",
        "attention.py:5 is right: the products QKᵀ.",
        "attention.py:6 is right: the scores QKᵀ/√d_k.",
        "attention.py:9 changes the scores QKᵀ/√d_k: it is the sine of that.",
        "[0, 0, 0] is -0.8659 and should be -2.095.",
        "All that follows is right, given this.",
    ]
