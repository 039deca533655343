"""What is the same for every submission of an exercise: what a probe asks, and what a right one answers.

Both follow from the probe alone.  They are kept under a digest of its whole content, so that a probe with
any other number in it is another one.  Nothing here comes from a submission: an exercise that is marked
on top of the learner's own earlier parts has no memo.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model, Prediction, Probe, float_tensors, predict
from grader.submission.asking import Asked, Callback, Device, Each, ToyModel, ToyOptimizer
from grader.submission.fixed import Fixed

__all__ = ["Memo", "digest", "memo_of"]

MAX_BYTES = 12 << 20  # kept for one exercise; its own probes take at most a third of it
OVERHEAD = 2000  # bytes of an entry beside its tensors


class Memo:
    """Requests and right answers by the digest of their probe; the oldest go when it is full."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._kept: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._most = most
        self._last: tuple[Probe, bytes | None] | None = None

    def asked(self, probe: Probe, options: tuple[Any, ...], make: Callable[[], Asked]) -> Asked:
        """The request of a probe with these options of `Lab.observe`."""
        found: Asked = self._keep(probe, options, make, len)
        return found

    def right(self, model: Model, probe: Probe) -> Prediction:
        """What a right submission gives, without the steps on the way."""

        def made() -> Prediction:
            return replace(predict(model, probe), state=None)

        found: Prediction = self._keep(probe, (), made, _size)
        return found

    def _keep(
        self, probe: Probe, what: tuple[Any, ...], make: Callable[[], Any], size: Callable[[Any], int]
    ) -> Any:
        if self._last is None or self._last[0] is not probe:
            self._last = probe, digest(probe)
        name = self._last[1]
        if name is None:  # holds something of no known kind
            return make()
        entry = self._kept.get((name, what))
        if entry is None:
            value = make()
            entry = value, size(value) + OVERHEAD
            self._kept[name, what] = entry
            self._size += entry[1]
            while self._size > self._most:
                self._size -= self._kept.popitem(last=False)[1][1]
        else:
            self._kept.move_to_end((name, what))
        return entry[0]


_memos: dict[str, Memo | None] = {}


def memo_of(exercise: str) -> Memo | None:
    """The memo of an exercise, one for this process; none for the first submission, which may be the only
    one: digests take time, and a command that grades once has nothing to gain by them."""
    if exercise not in _memos:
        _memos[exercise] = None
        return None
    memo = _memos[exercise] = _memos[exercise] or Memo()
    return memo


def _size(prediction: Prediction) -> int:
    tensors = [*float_tensors(prediction.seen.value), *prediction.seen.grads.values()]
    return sum(t.numel() * t.element_size() for t in tensors if t is not None)


# -- digests ----------------------------------------------------------------------------------------


PLAIN = frozenset({type(None), bool, int, float, str})


class _Unknown(Exception):
    """A value of a kind that has no digest."""


def digest(probe: Probe) -> bytes | None:
    """A digest of everything in a probe but its words; None where there is something of no known kind."""
    parts = (
        probe.name,
        probe.target,
        probe.args,
        probe.kwargs,
        probe.init,
        probe.state,
        probe.train,
        probe.dtype,
        probe.grad,
        probe.tier,
        probe.condition,
        probe.values,
        probe.where,
    )
    pieces: list[bytes] = []
    try:
        _take(parts, pieces, {})
    except _Unknown:
        return None
    return blake2b(b"".join(pieces), digest_size=20).digest()


def _take(value: Any, pieces: list[bytes], seen: dict[int, int]) -> None:
    """Adds the content of a value.  One tensor given twice is not the same as two that are equal."""
    kind = type(value)
    if kind is Tensor:
        number = seen.get(id(value))
        if number is None:
            seen[id(value)] = len(seen)
            pieces += _content(value)
        else:
            pieces.append(b"@%d;" % number)
    elif kind in PLAIN or isinstance(value, (torch.dtype, torch.device)):
        pieces.append(f"{kind.__name__}{value!r};".encode())
    elif kind is Fixed:
        pieces.append(f"S{value.key};".encode())
    elif isinstance(value, Mapping):
        pieces.append(b"M%d;" % len(value))
        for key, item in value.items():
            pieces.append(f"{key!r}:".encode())
            _take(item, pieces, seen)
    elif kind in (list, tuple):
        pieces.append(f"{kind.__name__}{len(value)};".encode())
        for item in value:
            _take(item, pieces, seen)
    elif kind is Callback:
        pieces.append(f"C{value.name}{value.as_module};".encode())
        _take(value.settings, pieces, seen)
    elif kind is Device:
        pieces.append(f"D{value.name};".encode())
    elif kind is Each:
        pieces.append(b"E")
        _take(value.items, pieces, seen)
    elif kind is ToyModel:
        pieces.append(f"L{value.train}{value.looks!r};".encode())
        _take(value.settings, pieces, seen)
    elif kind is ToyOptimizer:
        pieces.append(f"O{value.lr!r}{value.momentum!r};".encode())
    else:
        raise _Unknown


def _content(tensor: Tensor) -> tuple[bytes, bytes]:
    if tensor.requires_grad or tensor.device.type != "cpu":
        raise _Unknown
    layout = ""
    plain = tensor
    if not plain.is_contiguous():  # what lies between its numbers crosses the wall too
        layout = f"{tuple(tensor.shape)}{tensor.stride()}{tensor.storage_offset()}"
        plain = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
    if plain.dtype is torch.bfloat16:
        layout += "bfloat16"
        plain = plain.view(torch.int16)
    values = plain.numpy()
    return f"T{layout}{values.dtype.char}{values.shape};".encode(), values.tobytes()
