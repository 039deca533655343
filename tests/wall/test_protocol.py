"""The message format: what is sent arrives, and anything else is refused without harm."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.submission.observation import Opaque
from grader.submission.reply import parse_reply
from grader.worker.wire import (
    DTYPES,
    MAGIC,
    PREFIX,
    Closed,
    Deadline,
    Malformed,
    Packer,
    receive,
    send,
    unpack,
)


def through(value: Any, *, strided: bool = False) -> Any:
    """The value after a trip over a real socket."""
    one, other = socket.socketpair()
    with one, other:
        packer = Packer(strided=strided)
        send(one, {"v": packer.pack(value)}, packer.tensors)
        header, tensors = receive(other, 5.0)
        return unpack(header["v"], tensors, lambda tree: Opaque(tree["type"]), strided=strided)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (2, 0, 3)], ids=str)
def test_tensors_arrive(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = (torch.arange(6)[: max(1, 6)].float()[:1].expand(1).new_ones(shape) * 3).to(dtype)
    back = through(tensor)
    assert back.dtype is dtype
    assert back.shape == tensor.shape
    assert torch.equal(back, tensor)


def test_nan_and_infinity_arrive() -> None:
    back = through(torch.tensor([float("nan"), float("inf"), -float("inf")]))
    assert back.isnan().tolist() == [True, False, False]
    assert back[1:].tolist() == [float("inf"), -float("inf")]


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.transpose(0, 1),
        lambda t: t[::2, 1:],
        lambda t: t[:1].expand(4, -1),
        lambda t: t.T[1],
    ],
)
def test_strides_arrive(view: Any) -> None:
    given_ = view(torch.arange(12.0).view(3, 4))
    back = through(given_, strided=True)
    assert back.stride() == given_.stride()
    assert torch.equal(back, given_)


def test_one_tensor_given_twice_stays_one() -> None:
    tensor = torch.ones(2)
    first, second = through((tensor, tensor))
    assert first is second


def test_what_is_no_value_arrives_as_its_type_only() -> None:
    assert through(object()) == Opaque("object")
    assert through({"a": [1, (2.5, None, "x", True)]}) == {"a": [1, (2.5, None, "x", True)]}


@settings(derandomize=True, database=None, max_examples=200, deadline=None)
@given(data=st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(data)
        one.shutdown(socket.SHUT_WR)
        with pytest.raises((Malformed, Closed)):
            receive(other, 1.0)


@settings(derandomize=True, database=None, max_examples=200, deadline=None)
@given(header=st.binary(max_size=60), payload=st.binary(max_size=60))
def test_random_frames_are_refused_or_read(header: bytes, payload: bytes) -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload)
        try:
            found, _ = receive(other, 1.0)
        except Malformed:
            return
        with pytest.raises(Malformed):
            parse_reply(found, {}, "the id")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["$", "v", "n", "type", "outcome", "error", "id", "value", "grads", "calls"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(derandomize=True, database=None, max_examples=400, deadline=None)
@given(
    outcome=st.sampled_from(["ok", "raised", "?"]),
    parts=st.dictionaries(
        st.sampled_from(
            ["value", "error", "printed", "warnings", "globals", "changed", "calls", "grads", "trace"]
        ),
        JSON,
    ),
)
def test_any_reply_is_an_observation_or_malformed(outcome: str, parts: dict[str, Any]) -> None:
    header = json.loads(json.dumps({"id": "x", "outcome": outcome, **parts}))
    try:
        parse_reply(header, {}, "x")
    except Malformed:
        return


def test_an_answer_may_not_say_how_a_tensor_lies_in_memory() -> None:
    tree = {"$": "tensor", "n": "0", "size": [1 << 40], "stride": [1], "offset": 0}
    seen = parse_reply({"id": "x", "outcome": "ok", "value": tree}, {"0": torch.ones(2)}, "x")
    assert torch.equal(seen.value, torch.ones(2))


def test_a_reply_to_another_question_is_refused() -> None:
    with pytest.raises(Malformed, match="no question"):
        parse_reply({"id": "y", "outcome": "ok", "value": None}, {}, "x")


def test_two_messages_where_one_was_due() -> None:
    one, other = socket.socketpair()
    with one, other:
        send(one, {"a": 1}, {})
        send(one, {"b": 2}, {})
        with pytest.raises(Malformed, match="more than one"):
            receive(other, 1.0)


def test_sizes_beyond_the_cap_are_refused_before_they_are_read() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(PREFIX.pack(MAGIC, 10, 1 << 62))
        with pytest.raises(Malformed, match="too large"):
            receive(other, 1.0)


def test_silence_is_a_deadline() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"GRD")
        with pytest.raises(Deadline):
            receive(other, 0.05)


def test_a_json_bomb_is_refused() -> None:
    one, other = socket.socketpair()
    with one, other:
        text = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        one.settimeout(5)
        import threading

        thread = threading.Thread(target=one.sendall, args=(PREFIX.pack(MAGIC, len(text), 0) + text,))
        thread.start()
        with pytest.raises(Malformed):
            receive(other, 5.0)
        thread.join()
