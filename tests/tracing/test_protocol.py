"""What a worker says of an operation is validated, field by field."""

from __future__ import annotations

from typing import Any

import pytest

from grader.submission.observation import Event
from grader.submission.reply import parse_reply
from grader.worker.wire import Malformed, Packer

EVENT: dict[str, Any] = {
    "file": "attention.py",
    "line": 3,
    "function": "f",
    "op": "matmul",
    "path": [3],
    "through": "",
    "site": [12],
    "part": 0,
    "strides": [4, 1],
    "value": None,
}


def parsed(**changes: Any) -> tuple[Event, ...]:
    tree = Packer().pack([{**EVENT, **changes}])
    return parse_reply({"id": "x", "outcome": "ok", "value": None, "trace": tree}, {}, "x").trace


def test_an_event_arrives() -> None:
    (event,) = parsed(operands=[[2, 3], []])
    assert (event.site, event.strides, event.part, event.through) == ((12,), (4, 1), 0, "")
    assert event.operands == ((2, 3), ())


def test_an_event_of_an_older_form() -> None:
    tree = Packer().pack([{k: EVENT[k] for k in ("file", "line", "function", "op", "path", "value")}])
    (event,) = parse_reply({"id": "x", "outcome": "ok", "value": None, "trace": tree}, {}, "x").trace
    assert event.operands is None


@pytest.mark.parametrize(
    "changes",
    [
        {"site": ["a"]},
        {"site": [1] * 21},
        {"site": 3},
        {"part": -1},
        {"part": True},
        {"strides": [1.5]},
        {"strides": [1] * 33},
        {"through": 4},
        {"operands": [[1] * 33]},
        {"operands": [[1]] * 7},
        {"operands": ["ab"]},
        {"operands": 5},
        {"operands": [[-1]]},
    ],
    ids=str,
)
def test_anything_else_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        parsed(**changes)
