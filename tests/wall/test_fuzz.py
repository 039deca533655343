"""Whatever bytes a worker sends and whatever files are handed in: an answer or one clear error, no more
memory than a small multiple of what came, and no crash."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import GraderError
from grader.exercises.registry import exercise, module_names
from grader.marking.carrying import imported_names
from grader.submission.decoding import parse_source
from grader.submission.observation import Observation
from grader.submission.reply import Parts, parse_reply
from grader.submission.source import read_submission
from grader.worker.wire import (
    DTYPES,
    FILE_NAMES,
    MAGIC,
    MAX_HEADER,
    PREFIX,
    Closed,
    Malformed,
    Packer,
    receive,
    saved,
)
from tests.support import ROOT

MIB = 1 << 20
few = settings(derandomize=True, database=None, max_examples=100, deadline=None)


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Fails when more memory than this is taken at any moment."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size, f"{peak >> 20} MiB"


def read(frame: bytes, parts: Parts = Parts.ANYTHING) -> Observation | None:
    """What the trusted side makes of these bytes; None where it refuses them."""
    one, other = socket.socketpair()
    with one, other:
        sender = threading.Thread(target=_send, args=(one, frame))
        sender.start()
        try:
            header, tensors = receive(other, 10.0, most=64 * MIB)
            return parse_reply(header, tensors, str(header.get("id")), parts)
        except (Malformed, Closed):
            return None
        finally:
            other.close()
            sender.join()


def _send(sock: socket.socket, data: bytes) -> None:
    try:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def framed(header: bytes, payload: bytes = b"") -> bytes:
    return PREFIX.pack(MAGIC, len(header), len(payload)) + header + payload


def a_reply() -> bytes:
    """An answer as a worker gives it, with everything that there is in one."""
    packer = Packer()
    value = packer.pack((torch.ones(2, 3), {"a": [1, 2.5, None, True, "x"]}, torch.float16))
    header = {
        "id": "x",
        "outcome": "ok",
        "value": value,
        "changed": packer.pack(["query"]),
        "calls": packer.pack([{"times": 1, "arguments": [torch.ones(1)]}]),
        "grads": packer.pack({"status": "ok", "of": {"0": torch.ones(2), "1": None}}),
        "trace": packer.pack(
            [{"file": "a.py", "line": 1, "function": "f", "op": "mul", "value": torch.ones(1), "path": [1]}]
        ),
        "error": {"type": "E", "message": "m", "bases": [], "frames": []},
        "printed": "",
        "warnings": ["w"],
        "globals": ["g"],
        "registered": True,
    }
    return framed(json.dumps(header).encode(), saved(packer.tensors))


REPLY = a_reply()


def test_the_reply_itself_is_read() -> None:
    assert read(REPLY) is not None


@few
@given(
    edits=st.lists(
        st.tuples(
            st.sampled_from(["set", "insert", "delete", "double", "cut"]),
            st.integers(0, len(REPLY) - 1),
            st.binary(min_size=1, max_size=9),
        ),
        min_size=1,
        max_size=6,
    ),
    parts=st.sampled_from(Parts),
    lengths=st.booleans(),
)
def test_a_reply_that_was_damaged(edits: list[tuple[str, int, bytes]], parts: Parts, lengths: bool) -> None:
    data = bytearray(REPLY)
    for how, at, new in edits:
        if how == "set":
            data[at : at + len(new)] = new
        elif how == "insert":
            data[at:at] = new
        elif how == "delete":
            del data[at : at + len(new)]
        elif how == "double":
            data[at:at] = data[at : at + 40]
        else:
            del data[max(20, at) :]
    if lengths and len(data) > 60:  # so that what was damaged is looked at
        _, size, _ = PREFIX.unpack_from(REPLY)
        size = min(size, len(data) - PREFIX.size)
        data[: PREFIX.size] = PREFIX.pack(MAGIC, size, len(data) - PREFIX.size - size)
    with at_most(16 * MIB):
        read(bytes(data), parts)


NUMBERS = st.integers(-(2**70), 2**70) | st.sampled_from([0, -1, 2**31, 2**63 - 1, 2**64, 1e999, -0.0])
TABLE = st.dictionaries(
    st.sampled_from(["0", "1", "__metadata__", "", "\ud800"]),
    st.fixed_dictionaries(
        {
            "dtype": st.sampled_from([*FILE_NAMES.values(), "F8_E4M3", "C64", "I4", "", None, 1]),
            "shape": st.lists(NUMBERS, max_size=40),
            "data_offsets": st.lists(NUMBERS | st.integers(0, 64), max_size=3),
        }
    )
    | st.none()
    | st.text(max_size=3),
    max_size=4,
)


@few
@given(
    table=TABLE, body=st.binary(max_size=64), size=st.none() | NUMBERS.filter(lambda n: isinstance(n, int))
)
def test_tensors_that_nobody_wrote(table: dict[str, Any], body: bytes, size: int | None) -> None:
    head = json.dumps(table).encode()
    length = len(head) if size is None else size & (2**64 - 1)
    with at_most(16 * MIB):
        read(
            framed(
                b'{"id":"x","outcome":"ok","value":{"$":"tensor","n":"0"}}',
                struct.pack("<Q", length) + head + body,
            )
        )


@few
@given(dtype=st.sampled_from(list(DTYPES.values())), data=st.binary(max_size=64))
def test_tensors_of_any_bytes(dtype: torch.dtype, data: bytes) -> None:
    width = torch.empty(0, dtype=dtype).element_size()
    count = len(data) // width
    table = {"0": {"dtype": FILE_NAMES[dtype], "shape": [count], "data_offsets": [0, count * width]}}
    head = json.dumps(table).encode()
    payload = struct.pack("<Q", len(head)) + head + data[: count * width]
    seen = read(framed(b'{"id":"x","outcome":"ok","value":{"$":"tensor","n":"0"}}', payload))
    assert seen is not None
    assert seen.value.shape == (count,)
    assert seen.value.dtype is dtype


TREES = st.recursive(
    st.none()
    | st.booleans()
    | NUMBERS
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["\ud800", "\u202e", "\x1b[2J", "::error::", "\0", "A" * 5000])
    | st.fixed_dictionaries({"$": st.just("tensor"), "n": st.sampled_from(["0", "1", 0, None])}),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.fixed_dictionaries({"$": st.sampled_from(["list", "tuple"]), "v": st.lists(inner, max_size=4)})
        | st.fixed_dictionaries(
            {
                "$": st.just("dict"),
                "v": st.lists(st.tuples(st.text(max_size=3), inner), max_size=4),
            }
        )
        | st.dictionaries(
            st.sampled_from(
                [
                    "$",
                    "v",
                    "n",
                    "type",
                    "line",
                    "file",
                    "function",
                    "frames",
                    "shapes",
                    "status",
                    "of",
                    "times",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
NAMES = [
    "value", "error", "printed", "warnings", "globals", "changed", "calls", "grads", "trace", "registered"
]  # fmt: skip


@settings(few, max_examples=100)
@given(
    outcome=st.sampled_from(["ok", "raised", "", None, 1]),
    trees=st.dictionaries(st.sampled_from(NAMES), TREES),
    parts=st.sampled_from(Parts),
)
def test_any_tree_is_an_observation_or_refused(outcome: Any, trees: dict[str, Any], parts: Parts) -> None:
    header = json.loads(json.dumps({"id": "x", "outcome": outcome, **trees}))
    try:
        seen = parse_reply(header, {"0": torch.ones(2)}, "x", parts)
    except Malformed:
        return
    assert isinstance(seen, Observation)


UNITS = [
    b"[],",
    b"{},",
    b'{"a":1},',
    b'{"a":{"b":[]}},',
    b'"",',
    b"1e9,",
    b"123456789012345678901,",
    b'"\\ud800",',
]
CASES = [pytest.param(u, marks=pytest.mark.slow if n else ()) for n, u in enumerate(UNITS)]


@pytest.mark.parametrize("unit", CASES)
def test_the_largest_headers_take_bounded_memory(unit: bytes) -> None:
    body = unit * ((MAX_HEADER - 100) // len(unit))
    with at_most(700 * MIB):
        read(framed(b'{"id":"x","outcome":"ok","value":[' + body + b"0]}"))


# -- what is handed in ------------------------------------------------------------------------------

PIECES = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "solutions").glob("*.py"))][:4]


def look(name: str, data: bytes) -> None:
    """Everything that is asked of a file before it runs."""
    file = parse_source(name, f"{name}.py", data)
    if file.tree is None:
        assert file.problem is not None
        assert file.problem.text.en
        return
    which = exercise(name)
    file.unfinished(which), file.begun(which), file.called(), file.defined(), file.endless_loop_line()
    file.imports(module_names())
    imported_names(file)


@few
@given(data=st.binary(max_size=300))
def test_bytes_as_source(data: bytes) -> None:
    look("attention", data)


@few
@given(
    cookie=st.sampled_from(
        ["", "# coding: utf-8\n", "# coding: gbk\n", "# coding: rot13\n", "# -*- coding: x\n"]
    ),
    words=st.text(max_size=80),
    encoding=st.sampled_from(["utf-8", "gb18030", "utf-16", "utf-8-sig", "latin-1"]),
)
def test_words_as_source(cookie: str, words: str, encoding: str) -> None:
    look("attention", (cookie + words).encode(encoding, "replace"))


@few
@given(
    which=st.sampled_from(PIECES),
    edits=st.lists(
        st.tuples(st.integers(0, 4000), st.integers(0, 60), st.sampled_from(PIECES), st.integers(0, 4000)),
        max_size=5,
    ),
)
def test_source_in_pieces(which: str, edits: list[tuple[int, int, str, int]]) -> None:
    text = which
    for at, length, other, start in edits:
        text = text[:at] + other[start : start + length] + text[at + length :]
    look("attention", text.encode())


BOMBS = {
    "import": "import a" + ".b" * 130_000,
    "from": "from a" + " . \\\n b" * 30_000 + " import c",
    "middle dots": "import a" + ".b\u00b7" * 60_000,
    "attributes": "x = a" + ".b" * 130_000,
    "signs": "x = " + "-" * 260_000 + "1",
    "powers": "x = " + "1**" * 80_000 + "1",
    "branches": "if 1: pass\n" + "elif 1: pass\n" * 20_000,
    "choices": "x = " + "1 if 1 else " * 20_000 + "1",
    "calls": "x = a" + "()" * 130_000,
    "lambdas": "x = " + "lambda:" * 37_000 + "1",
    "brackets": "x = " + "(" * 90 + "[" * 90 + "]" * 90 + ")" * 90,
    "digits": "x = " + "9" * 260_000,
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_of_source(bomb: str) -> None:
    """In a process of its own: a parser that dies takes that with it."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30));"
        "from grader.submission.decoding import parse_source;"
        "file = parse_source('attention', 'attention.py', sys.stdin.buffer.read());"
        "print(file.problem.text.en if file.problem else 'read')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=BOMBS[bomb].encode(), capture_output=True, timeout=60, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stdout.strip()


def test_a_row_of_numbers_is_no_bomb() -> None:
    text = 'x = 1\n"""\n[' + "0. " * 300 + ']\n"""\n'
    assert parse_source("attention", "attention.py", text.encode()).problem is None


def test_a_folder_of_oddities(tmp_path: Path) -> None:
    """None of them is read as what it is not, and none is in the way of what is there."""
    (tmp_path / "attention.py").mkdir()
    os.mkfifo(tmp_path / "masks.py")
    (tmp_path / "layer_norm.py").symlink_to("layer_norm.py")
    (tmp_path / "positional_encoding.py").symlink_to("/proc/self/mem")
    (tmp_path / "multi_head_attention.py").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "encoder_block.py"))
    (tmp_path / "encoder.py").write_bytes(b"#" * (300 << 10))
    for name in (b"\xff\xfe.py", "é.py".encode(), b"a b.py", b"-rf.py", b"x\ny.py", b"\x1b[2J.py"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"x = 1\n")
    with socket.socket(socket.AF_UNIX):
        found = read_submission(tmp_path, (), may_be_empty=True)
    for name in set(found.files) & set(module_names()):
        problem = found.files[name].problem
        assert problem is not None, name
        assert "\n" not in problem.text.en


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none", Path("/dev/null"), tmp_path / ("a" * 300), Path("x\0y")):
        with pytest.raises((GraderError, ValueError)):
            read_submission(path)
