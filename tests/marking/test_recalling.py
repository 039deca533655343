"""A module is marked several times in one worker: what was asked before is not asked again, call by call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from grader.submission import recalling as recall
from grader.submission.observation import Outcome
from grader.submission.recalling import Recalling
from tests.support import Grader

COUNTING = """
import torch
from torch import nn
calls = 0
def count(x):
    global calls
    calls += 1
    print("called")
    return x + calls
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        global calls
        calls += 1
    def forward(self, x):
        return x + calls
"""
X = torch.zeros(2)


@pytest.fixture
def client(grader: Grader) -> Iterator[Recalling]:
    sources = {"counting": ("counting.py", COUNTING)}
    made = Recalling(grader.launcher, "counting", sources, expects=["count", "Layer"])
    yield made
    made.close()


def counted(client: Recalling) -> float:
    seen = client.call("count", (X,))
    assert seen.outcome is Outcome.OK
    return float(seen.value[0])


def test_outside_a_turn_every_call_is_made(client: Recalling) -> None:
    assert [counted(client) for _ in range(3)] == [1, 2, 3]


def test_a_turn_hears_what_the_first_one_heard_call_by_call(client: Recalling) -> None:
    first = [counted(client) for _ in range(2)]
    turn = client.turn()
    with client.taking(turn):
        assert [counted(client) for _ in range(2)] == first
        assert counted(client) == 3  # not asked before
    with client.taking(client.turn()):
        assert [counted(client) for _ in range(3)] == [1, 2, 3]
    assert counted(client) == 4


def test_a_diagnosis_hears_the_first_answer(client: Recalling) -> None:
    counted(client), counted(client)
    with client.recalling():
        assert [counted(client) for _ in range(2)] == [1, 1]
    assert counted(client) == 3


def test_objects_are_never_remembered(client: Recalling) -> None:
    def made() -> float:
        seen = client.construct("Layer")
        return float(client.forward(seen.value["handle"], (X,)).value[0])

    assert made() == 1
    with client.taking(client.turn()):
        assert made() == 2
    whole = {"args": (X,), "kwargs": {}, "train": False, "seed": 0}
    assert float(client.construct("Layer", then=whole).value[0]) == 3
    with client.taking(client.turn()):
        assert float(client.construct("Layer", then=whole).value[0]) == 3


def test_a_turn_has_an_account_of_its_own(client: Recalling) -> None:
    counted(client)
    client.stops, client.spent = 2, 50.0
    turn = client.turn()
    with client.taking(turn):
        assert (client.stops, client.spent, client.printed) == (0, 0.0, [])
        counted(client)
        assert client.printed == ["called\n"]
        client.stops = 1
    assert (client.stops, client.spent) == (2, 50.0)
    with client.taking(turn):
        assert (client.stops, client.printed) == (1, ["called\n"])


def test_what_is_kept_is_bounded(client: Recalling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "OVERHEAD", recall.MOST // 2 + 1)
    counted(client), counted(client)
    with client.taking(client.turn()):
        assert [counted(client) for _ in range(2)] == [1, 3]
