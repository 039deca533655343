"""An object is used again only where nobody could tell it from a new one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.submission.client import Client
from grader.submission.fixed import Fixed
from grader.submission.observation import Observation
from tests.support import Grader

STATE = Fixed(weight=torch.arange(3.0, dtype=torch.float64))
OTHER = Fixed(weight=torch.ones(3, dtype=torch.float64))
START = """
import torch
from torch import nn

MADE = []

def made():
    return len(MADE)

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        MADE.append(1)
        self.weight = nn.Parameter(torch.randn(3))
        self.size = 3

"""
PLAIN = """
class M(Base):
    def forward(self, x):
        return x * self.weight + self.size
"""
CHANGING = {
    "an attribute": """
class M(Base):
    def forward(self, x):
        out = x * self.weight + self.size
        self.size += 1
        return out
""",
    "a new attribute": """
class M(Base):
    def forward(self, x):
        if not hasattr(self, "first"):
            self.first = x
        return self.first * self.weight
""",
    "a list": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append(x)
        return x * self.weight + len(self.seen)
""",
    "a closure": """
class M(Base):
    def __init__(self):
        super().__init__()
        seen = []
        self.note = lambda x: seen.append(x) or len(seen)

    def forward(self, x):
        return x * self.weight + self.note(x)
""",
    "a tensor in place": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.steps = torch.zeros(1)

    def forward(self, x):
        self.steps += 1
        return x * self.weight + self.steps
""",
    "a buffer that is not saved": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(1), persistent=False)

    def forward(self, x):
        self.steps.add_(1)
        return x * self.weight + self.steps
""",
    "a parameter that is not given": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        out = x * self.weight + self.bias
        with torch.no_grad():
            self.bias.add_(1)
        return out
""",
    "a part": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.Identity()])

    def forward(self, x):
        out = x * self.weight + len(self.parts)
        self.parts.append(nn.Identity())
        return out
""",
    "what it trains": """
class M(Base):
    def forward(self, x):
        out = x * self.weight if self.weight.requires_grad else x
        self.weight.requires_grad_(False)
        return out
""",
    "chance at construction": """
class M(Base):
    def forward(self, x):
        return x * self.weight + torch.rand(3)
""",
    "memory past its owner": """
class M(Base):
    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        out = x * self.weight + self.bias
        self.bias.data.add_(1)
        return out
""",
    "a method that remembers": """
import functools

class M(Base):
    @functools.lru_cache(maxsize=None)
    def first(self):
        return self.last

    def forward(self, x):
        self.last = x
        out = x * self.weight + self.first()
        del self.last
        return out
""",
}


def call(client: Client, state: Fixed = STATE, **more: Any) -> Observation:
    x = torch.full((3,), float(more.pop("x", 2)), dtype=torch.float64)
    then: dict[str, Any] = {"args": (x,), "kwargs": {}, "train": False, **more}
    seen = client.construct("M", (), {}, state=state, dtype="float64", seed=0, train=False, then=then)
    assert seen.ok, seen.error
    return seen


def of(grader: Grader, text: str) -> Client:
    return Client(grader.launcher, "m", {"m": ("m.py", START + text)})


def test_one_object_for_calls_alike(grader: Grader) -> None:
    client = of(grader, PLAIN)
    first, again, other = call(client), call(client), call(client, OTHER, x=5)
    assert torch.equal(first.value, again.value)
    assert torch.equal(other.value, torch.full((3,), 8.0, dtype=torch.float64))
    assert torch.equal(call(client).value, first.value)
    assert client.call("made").value == 1
    client.close()


def test_another_one_for_other_settings(grader: Grader) -> None:
    client = of(grader, PLAIN)
    call(client)
    client.construct(
        "M", (), {}, state=STATE, dtype="float32", seed=0, train=False, then={"args": (), "kwargs": {}}
    )
    assert client.call("made").value == 2
    client.close()


@pytest.mark.parametrize("how", CHANGING)
def test_a_new_one_after_a_change(how: str, grader: Grader) -> None:
    """Every call gives what a call in a worker of its own gives."""
    client = of(grader, CHANGING[how])
    for x, state in ((2, STATE), (3, STATE), (4, OTHER), (2, STATE)):
        alone = of(grader, CHANGING[how])
        wanted, found = call(alone, state, x=x), call(client, state, x=x)
        alone.close()
        assert torch.equal(wanted.value, found.value)
    client.close()


def test_what_is_said_at_construction_is_said_each_time(grader: Grader) -> None:
    client = of(
        grader,
        PLAIN.replace(
            "class M(Base):\n",
            "class M(Base):\n    def __init__(self):\n        super().__init__()\n        print('made')\n",
        ),
    )
    assert [call(client).printed for _ in range(2)] == ["made\n", "made\n"]
    client.close()


def test_the_mode_is_that_of_the_call(grader: Grader) -> None:
    text = "class M(Base):\n    def forward(self, x):\n        return x * self.weight + self.training\n"
    client = of(grader, text)
    options: dict[str, Any] = {"state": STATE, "dtype": "float64", "seed": 0}
    x = torch.zeros(3, dtype=torch.float64)
    found = [
        client.construct(
            "M", (), {}, train=t, then={"args": (x,), "kwargs": {}, "train": t}, **options
        ).value.sum()
        for t in (True, False, True)
    ]
    assert found == [3, 0, 3]
    assert client.call("made").value == 1
    client.close()


def test_more_states_than_are_kept(grader: Grader) -> None:
    client = of(grader, PLAIN)
    states = [Fixed(weight=torch.full((3,), float(n), dtype=torch.float64)) for n in range(70)]
    for _ in range(2):
        for n, state in enumerate(states):
            assert call(client, state, x=1).value.tolist() == [n + 3.0] * 3
    client.close()


def test_a_fresh_worker_is_told_all_states_again(grader: Grader) -> None:
    text = PLAIN + "\ndef leave():\n    import os\n    os._exit(3)\n"
    client = of(grader, text)
    first = call(client)
    client.call("leave")
    assert torch.equal(call(client).value, first.value)
    client.close()


def test_a_fixed_state_stays_as_it_is() -> None:
    with pytest.raises(TypeError, match="weight"):
        STATE["weight"] = torch.ones(3)
