"""Messages across the wall: a JSON header and raw tensor bytes (safetensors), length-prefixed.

A frame is ``b"GRDW"``, the header's length (4 bytes), the payload's length (8 bytes), the header and
the payload.  Nothing is ever pickled.  Both sides use this module; what the trusted side reads is
capped here and validated in `grader.submission.reply`.

Values travel as *trees*: plain JSON for None, booleans, numbers and strings, and a tagged object
``{"$": tag, ...}`` for everything else (tensor, list, tuple, dict, dtype, callable, opaque).
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from safetensors import deserialize
from torch import Tensor

from grader.worker.waiting import readable

__all__ = [
    "MAX_STATES",
    "Closed",
    "Deadline",
    "Malformed",
    "Packer",
    "dtype_name",
    "dtype_of",
    "receive",
    "receive_request",
    "saved",
    "send",
    "send_frame",
    "tensors_of",
    "unpack",
]

MAGIC = b"GRDW"
PREFIX = struct.Struct("<4sIQ")
MAX_HEADER = 4 << 20
MAX_PAYLOAD = 256 << 20
MAX_TABLE = 1 << 20  # of the names and sizes of all tensors
MAX_DIMENSIONS = 32
MAX_SIZE = 1 << 40  # of one dimension; a tensor of no values may claim any
MAX_STATES = 64  # that a worker keeps, for requests that mention them again
WATCH_SECONDS = 0.2
MAX_STRING = 4000
MAX_ITEMS = 4096
MAX_DEPTH = 12

DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
# safetensors' own names for them, in its file format and in its `serialize`
WIRE_NAMES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8,
    "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip
FILE_NAMES = {dtype: name for name, dtype in WIRE_NAMES.items()}


class Malformed(Exception):
    """What arrived is not a message of ours."""


class Closed(Exception):
    """The other side is gone."""


class Deadline(Exception):
    """No complete message arrived in time."""


def dtype_of(name: str) -> torch.dtype:
    """The dtype called `name`; `Malformed` for any other word."""
    try:
        return DTYPES[name]
    except (KeyError, TypeError):
        raise Malformed(f"unknown dtype {name!r}") from None


def dtype_name(dtype: torch.dtype) -> str:
    """``float32`` for ``torch.float32``."""
    return NAMES.get(dtype, str(dtype).removeprefix("torch."))


class Packer:
    """Turns values into a tree and collects their tensors.

    With `strided`, a non-contiguous tensor arrives with the same sizes, strides and offset (the
    trusted side asks for that); without, it is sent contiguous (what the worker answers).
    """

    def __init__(self, *, strided: bool = False) -> None:
        self.strided = strided
        self.tensors: dict[str, Tensor] = {}
        self.seen: dict[int, tuple[Tensor, dict[str, Any]]] = {}

    def pack(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            return {"$": "opaque", "type": "too deeply nested"}
        if value is None or isinstance(value, bool):
            return value
        kind = type(value)
        if kind in (int, float):
            return value if kind is float or -(2**63) <= value < 2**63 else {"$": "opaque", "type": "int"}
        if kind is str:
            return value[:MAX_STRING]
        if isinstance(value, Tensor):
            if id(value) not in self.seen:  # one tensor given twice arrives as one tensor
                self.seen[id(value)] = (value, self.tensor(value))
            return self.seen[id(value)][1]
        if isinstance(value, (list, tuple)) and len(value) <= MAX_ITEMS:
            tag = "list" if isinstance(value, list) else "tuple"
            return {"$": tag, "v": [self.pack(item, depth + 1) for item in value]}
        if isinstance(value, dict) and len(value) <= MAX_ITEMS:
            items = [[str(k)[:200], self.pack(v, depth + 1)] for k, v in value.items()]
            return {"$": "dict", "v": items}
        if isinstance(value, torch.dtype):
            return {"$": "dtype", "v": dtype_name(value)}
        if isinstance(value, torch.device):
            return {"$": "device", "v": str(value)}
        return {"$": "opaque", "type": kind.__name__[:200]}

    def tensor(self, value: Tensor) -> dict[str, Any]:
        plain = value.detach()
        note: dict[str, Any] = {"$": "tensor", "grad": bool(value.requires_grad)}
        if type(plain) is not Tensor and not isinstance(plain, torch.nn.Parameter):
            note["subclass"] = type(plain).__name__[:200]
            plain = plain.as_subclass(Tensor)
        if plain.device.type != "cpu" or plain.layout != torch.strided or plain.dtype not in NAMES:
            return {"$": "opaque", "type": f"tensor on {plain.device}, {plain.dtype}, {plain.layout}"}
        name = str(len(self.tensors))
        note["n"] = name
        if self.strided and not plain.is_contiguous():
            note |= {
                "size": list(plain.shape),
                "stride": list(plain.stride()),
                "offset": plain.storage_offset(),
            }
            whole = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
            self.tensors[name] = whole.clone()
        else:
            self.tensors[name] = plain.resolve_conj().resolve_neg().contiguous().clone()
        return note


def unpack(
    tree: Any,
    tensors: dict[str, Tensor],
    special: Callable[[dict[str, Any]], Any],
    depth: int = 0,
    *,
    strided: bool = False,
) -> Any:
    """The value of a tree.  `special` gives the value of tags that only one side knows.

    `strided`: whether a tensor may say how it lies in memory, which only the trusted side may do.
    """
    if depth > MAX_DEPTH:
        raise Malformed("nested too deeply")
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if not isinstance(tree, dict):
        raise Malformed(f"a bare {type(tree).__name__} in a tree")
    tag = tree.get("$")
    if tag in ("list", "tuple"):
        items = tree.get("v")
        if not isinstance(items, list):
            raise Malformed("a sequence without items")
        values = [unpack(item, tensors, special, depth + 1, strided=strided) for item in items]
        return values if tag == "list" else tuple(values)
    if tag == "dict":
        pairs = tree.get("v")
        if not isinstance(pairs, list) or not all(
            isinstance(p, list) and len(p) == 2 and isinstance(p[0], str) for p in pairs
        ):
            raise Malformed("a dict without pairs")
        return {key: unpack(item, tensors, special, depth + 1, strided=strided) for key, item in pairs}
    if tag == "tensor":
        name = tree.get("n")
        if not isinstance(name, str) or name not in tensors:
            raise Malformed("a tensor that was not sent")
        if strided and "size" in tree:
            tensors[name] = tensors[name].as_strided(tree.pop("size"), tree.pop("stride"), tree.pop("offset"))
        return tensors[name]
    if tag == "dtype":
        return dtype_of(tree.get("v", ""))
    return special(tree)


def send(
    sock: socket.socket, header: dict[str, Any], tensors: dict[str, Tensor], timeout: float | None = None
) -> None:
    """Writes one frame; `Closed` when the other side is gone, `Deadline` when it does not read."""
    send_frame(sock, json.dumps(header, separators=(",", ":")).encode(), saved(tensors), timeout)


def send_frame(sock: socket.socket, header: bytes, payload: bytes, timeout: float | None = None) -> None:
    """The same of a header and tensors that are bytes already."""
    if len(header) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise Malformed(f"a message of {len(header) + len(payload)} bytes is too large")
    frame = b"".join((PREFIX.pack(MAGIC, len(header), len(payload)), header, payload))
    try:
        if timeout is None:
            sock.sendall(frame)
            return
        sock.settimeout(timeout)
        sock.sendall(frame)
        sock.settimeout(None)
    except TimeoutError as error:
        raise Deadline("what was asked was not read in time") from error
    except OSError as error:
        raise Closed(str(error)) from error


def saved(tensors: dict[str, Tensor]) -> bytes:
    """Contiguous tensors as one safetensors block; nothing where there are none.

    Written here, since the library's writer takes ten times as long and changed its interface
    between versions; what is read is always validated by the library.
    """
    if not tensors:
        return b""
    table: dict[str, Any] = {}
    blocks: list[bytes] = []
    end = 0
    for name, tensor in tensors.items():
        raw = tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor
        block = raw.numpy().tobytes()
        start, end = end, end + len(block)
        table[name] = {
            "dtype": FILE_NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
        blocks.append(block)
    head = json.dumps(table, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(blocks)


def _load(payload: bytes) -> dict[str, Tensor]:
    """The tensors of a safetensors block, whose header the library has validated."""
    (table,) = struct.unpack_from("<Q", payload)
    if table > MAX_TABLE:
        raise Malformed("too many tensors")
    found = {}
    for name, entry in deserialize(payload):  # type: ignore[no-untyped-call]
        dtype = WIRE_NAMES[entry["dtype"]]
        shape = entry["shape"]
        data = entry["data"]
        if len(shape) > MAX_DIMENSIONS or any(size > MAX_SIZE for size in shape):
            raise Malformed("a tensor of an impossible shape")
        if dtype is torch.bool:  # a byte that is neither 0 nor 1 is both true and false to torch
            flat = (
                torch.frombuffer(data, dtype=torch.uint8) != 0 if len(data) else torch.empty(0, dtype=dtype)
            )
        else:
            flat = torch.frombuffer(data, dtype=dtype) if len(data) else torch.empty(0, dtype=dtype)
        found[name] = flat.reshape(shape)
    return found


def receive(
    sock: socket.socket,
    timeout: float | None = None,
    *,
    most: int = MAX_PAYLOAD,
    watch: Callable[[], None] | None = None,
    waited: Callable[[], float] | None = None,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Reads one frame; raises `Closed`, `Deadline` or `Malformed`.

    `most`: bytes of tensors; `watch` is called again and again while there is nothing to read; `waited`:
    once the time is up, how many seconds of it do not count.
    """
    header, payload = _frame(sock, timeout, most, watch, waited)
    return header, tensors_of(payload)


def receive_request(
    sock: socket.socket,
) -> tuple[dict[str, Any], dict[str, Tensor], dict[str, Tensor]]:
    """Reads what a worker is asked: the header, its tensors, and those of a state that comes with it."""
    header, payload = _frame(sock)
    state = header.get("state")
    if not isinstance(state, dict) or "at" not in state:
        return header, tensors_of(payload), {}
    return header, tensors_of(payload[: state["at"]]), tensors_of(payload[state["at"] :])


def tensors_of(payload: bytes) -> dict[str, Tensor]:
    """The tensors of a block that `saved` has made; `Malformed` for anything else."""
    try:
        return _load(payload) if payload else {}
    except Exception as error:  # noqa: BLE001  safetensors raises its own and torch's errors
        raise Malformed(f"the tensors cannot be read: {type(error).__name__}") from None


def _frame(
    sock: socket.socket,
    timeout: float | None = None,
    most: int = MAX_PAYLOAD,
    watch: Callable[[], None] | None = None,
    waited: Callable[[], float] | None = None,
) -> tuple[dict[str, Any], bytes]:
    until = None if timeout is None else time.monotonic() + timeout
    data = bytearray()
    _fill(sock, data, PREFIX.size, until, watch, waited)
    magic, header_size, payload_size = PREFIX.unpack_from(data)
    if magic != MAGIC or header_size > MAX_HEADER or payload_size > most:
        raise Malformed("not a message of the protocol, or one that is too large")
    end = PREFIX.size + header_size
    _fill(sock, data, end + payload_size, until, watch, waited)
    if len(data) > end + payload_size:
        raise Malformed("more than one message where one was due")
    with memoryview(data) as whole:
        text, payload = bytes(whole[PREFIX.size : end]), bytes(whole[end:])
    try:
        header = _json(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the header is no JSON: {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise Malformed("the header is no object")
    return header, payload


def _json(text: bytes) -> Any:
    if hasattr(sys, "get_int_max_str_digits"):
        return json.loads(text)
    return json.loads(text, parse_int=_int)  # the first Python 3.10s take minutes for a huge number


def _int(digits: str) -> int:
    if len(digits) > 4300:
        raise ValueError("a number of too many digits")
    return int(digits)


def _fill(
    sock: socket.socket,
    data: bytearray,
    count: int,
    until: float | None,
    watch: Callable[[], None] | None = None,
    waited: Callable[[], float] | None = None,
) -> None:
    """Reads until there are `count` bytes (or more: a message usually arrives in one piece)."""
    while len(data) < count:
        if until is not None:
            left = until - time.monotonic()
            if left <= 0 and waited is not None:
                left += waited()
            if left <= 0:
                raise Deadline(f"{len(data)} of {count} bytes arrived in time")
            if not readable(sock, left if watch is None else min(left, WATCH_SECONDS)):
                if watch is not None:
                    watch()
                continue
        try:
            chunk = sock.recv(max(1 << 16, min(count - len(data), 1 << 20)))
        except OSError as error:
            raise Closed(str(error)) from error
        if not chunk:
            raise Closed("end of stream")
        data += chunk
