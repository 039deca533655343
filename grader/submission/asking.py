"""What a worker is asked, as the bytes that cross the wall: made once, it may be asked of many workers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.submission.reply import Parts
from grader.worker.wire import Packer, saved

__all__ = ["Asked", "Callback", "Device", "ask_call", "ask_construct", "ask_forward", "ask_load", "ask_train"]


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
class Asked:
    """One request without its number: the header's text up to the closing brace, the tensors, and what
    the value of the answer is made of."""

    head: bytes
    payload: bytes
    parts: Parts

    def __len__(self) -> int:
        return len(self.head) + len(self.payload)

    def numbered(self, identity: str) -> bytes:
        """The header of this request under a number of its own, which the answer repeats."""
        return self.head + f',"id":"{identity}"}}'.encode()


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
    """Calls a function of a module."""
    return _ask({"op": "call", "module": module, "name": name}, args, kwargs, options)


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
        return super().pack(value, depth)


def _ask(
    request: dict[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> Asked:
    packer = _RequestPacker(strided=True)
    request["args"] = [packer.pack(a) for a in args]
    request["kwargs"] = {k: packer.pack(v) for k, v in kwargs.items()}
    for name, value in options.items():
        if name == "then":
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
    return _asked(request, packer)


def _asked(request: Mapping[str, Any], packer: Packer) -> Asked:
    text = json.dumps(request, separators=(",", ":")).encode()
    return Asked(text[:-1], saved(packer.tensors), Parts.of(request))
