"""What a worker is asked, as the bytes that cross the wall: made once, it may be asked of many workers."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.submission.fixed import Fixed
from grader.submission.reply import Parts
from grader.worker.wire import Packer, saved

__all__ = [
    "Asked",
    "Callback",
    "Device",
    "Each",
    "ToyModel",
    "ToyOptimizer",
    "ask_call",
    "ask_construct",
    "ask_forward",
    "ask_load",
    "ask_train",
]


@dataclass(frozen=True)
class Callback:
    """A callable of the closed set in `grader.worker.callables`, to pass to the learner's code."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    as_module: bool = False


@dataclass(frozen=True)
class Device:
    """A device argument."""

    name: str


@dataclass(frozen=True)
class ToyModel:
    """The stand-in model of `grader.worker.toys`, to pass to the learner's code.

    settings: its parameters `embedding` (V, d), `output` (V, d) and `bias` (V,), the factors `keep` (d,) that
    its features get in training, the share `mix` of earlier tokens and the share `lean` of all of them,
    `stale`, which all gradients are before the first call, `nudge`, which each forward pass adds to them,
    and `frozen`, with which it has a parameter more that is not trained; train: the mode it is in before;
    looks: what is looked at afterwards.
    """

    settings: Mapping[str, Any]
    train: bool = False
    looks: tuple[str, ...] = ()

    def __str__(self) -> str:
        V, d = self.settings["embedding"].shape
        return f"a small model (V={V}, d={d})"


@dataclass(frozen=True)
class ToyOptimizer:
    """Its optimizer: descent with momentum."""

    lr: float
    momentum: float = 0.0

    def __str__(self) -> str:
        return f"SGD(lr={self.lr:g}, momentum={self.momentum:g})"


@dataclass(frozen=True)
class Each:
    """An argument that is another one in each call of a lesson."""

    items: tuple[Any, ...]

    def __str__(self) -> str:
        return f"another one in each of {len(self.items)} calls"


@dataclass(frozen=True)
class Asked:
    """One request without its number: the header's text up to the closing brace, the tensors, what the
    value of the answer is made of, and a state that the worker may know already."""

    head: bytes
    payload: bytes
    parts: Parts
    state: Fixed | None = None

    def __len__(self) -> int:
        return len(self.head) + len(self.payload)

    def numbered(self, identity: str, known: Container[str] = ()) -> tuple[bytes, bytes]:
        """The header of this request under a number of its own, which the answer repeats; and the tensors.

        known: the keys of the states that the worker has been sent.
        """
        head, payload = self.head, self.payload
        if self.state is not None and self.state.key in known:
            head += b',"state":{"key":"%s"}' % self.state.key.encode()
        elif self.state is not None:
            tree, tensors = self.state.packed
            head += b',"state":{"key":"%s","at":%d,"tree":%s}' % (
                self.state.key.encode(),
                len(payload),
                tree,
            )
            payload += tensors
        return head + f',"id":"{identity}"}}'.encode(), payload


def ask_load(
    module: str,
    sources: Mapping[str, tuple[str, str]],
    names: Sequence[str],
    operators: Sequence[str],
    expects: Sequence[str],
    output: int,
) -> Asked:
    """Takes the learner's files and imports one of them."""
    request = {
        "op": "load",
        "module": module,
        "sources": {name: list(pair) for name, pair in sources.items()},
        "names": list(names),
        "operators": list(operators),
        "expects": list(expects),
        "output": output,
    }
    return _asked(request, Packer())


def ask_call(
    module: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Asked:
    """Calls a function of a module; with a stand-in model among its arguments, gives a lesson."""
    request: dict[str, Any] = {"op": "call", "module": module, "name": name}
    given = [*args, *kwargs.values()]
    model = next((a for a in given if isinstance(a, ToyModel)), None)
    if model is not None:
        request["rounds"] = max((len(a.items) for a in given if isinstance(a, Each)), default=1)
        request["looks"] = list(model.looks)
    return _ask(request, args, kwargs, options)


def ask_construct(
    module: str, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Asked:
    """Makes an object of a class of a module; with the option `then`, calls it and forgets it."""
    return _ask({"op": "construct", "module": module, "name": name}, args, kwargs, options)


def ask_forward(
    handle: int, args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Asked:
    """Calls an object that was made before."""
    return _ask({"op": "forward", "handle": handle}, args, kwargs, options)


def ask_train(handle: int, module: str, args: Sequence[Any], options: Mapping[str, Any]) -> Asked:
    """Trains an object that was made before, with the functions of a module, or lets it decode."""
    return _ask({"op": "train", "handle": handle, "module": module}, args, {}, options)


class _RequestPacker(Packer):
    def pack(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, Callback):
            settings = {k: self.pack(v, depth + 1) for k, v in value.settings.items()}
            return {"$": "callable", "name": value.name, "with": settings, "module": value.as_module}
        if isinstance(value, Device):
            return {"$": "device", "v": value.name}
        if isinstance(value, Each):
            return {"$": "each", "v": [self.pack(item, depth + 1) for item in value.items]}
        if isinstance(value, ToyModel):
            settings = {k: self.pack(v, depth + 1) for k, v in value.settings.items()}
            return {"$": "model", "with": settings, "train": value.train}
        if isinstance(value, ToyOptimizer):
            return {"$": "optimizer", "with": {"lr": value.lr, "momentum": value.momentum}}
        return super().pack(value, depth)


def _ask(
    request: dict[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Asked:
    packer = _RequestPacker(strided=True)
    request["args"] = [packer.pack(a) for a in args]
    request["kwargs"] = {k: packer.pack(v) for k, v in kwargs.items()}
    state: Fixed | None = None
    for name, value in options.items():
        if name == "state" and isinstance(value, Fixed):
            state = value
        elif name == "then":
            request[name] = {
                "args": [packer.pack(a) for a in value["args"]],
                "kwargs": {k: packer.pack(v) for k, v in value["kwargs"].items()},
                **{
                    k: packer.pack(v) if k == "cotangents" else v
                    for k, v in value.items()
                    if k not in ("args", "kwargs")
                },
            }
        else:
            request[name] = packer.pack(value) if name in ("state", "cotangents") else value
    return _asked(request, packer, state)


def _asked(request: Mapping[str, Any], packer: Packer, state: Fixed | None = None) -> Asked:
    text = json.dumps(request, separators=(",", ":")).encode()
    return Asked(text[:-1], saved(packer.tensors), Parts.of(request), state)
