"""Validates what a worker sent.  Nothing of a reply is believed before it has passed through here."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from grader.submission.observation import ErrorInfo, Event, Frame, Observation, Opaque, Outcome
from grader.worker.toys import LOOKS, MAX_ROUNDS, PARAMETERS
from grader.worker.wire import Malformed, unpack

__all__ = ["Parts", "parse_reply"]

MEMORY_WORDS = ("can't allocate memory", "not enough memory", "out of memory", "cannot allocate memory")
TREES = ("value", "changed", "calls", "grads", "shares", "trace")
MAX_NODES = 100_000
MAX_BYTES = 128 << 20  # of tensors, each counted as often as it is mentioned
MAX_PRINTED = 1 << 20


class Parts(enum.Enum):
    """What the value of an answer is made of, by what was asked."""

    ANYTHING = "what the learner's code returned"
    NAMES = "the kinds of the names in a module"
    MADE = "the description of an object"
    LESSON = "what came of calls with a stand-in model"

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Parts:
        if request.get("op") == "load":
            return cls.NAMES
        if request.get("op") == "construct" and request.get("then") is None:
            return cls.MADE
        return cls.ANYTHING if request.get("rounds") is None else cls.LESSON


def parse_reply(
    header: dict[str, Any],
    tensors: dict[str, Tensor],
    request_id: str,
    parts: Parts = Parts.ANYTHING,
) -> Observation:
    """The observation that a reply describes; `Malformed` for anything that is not one."""
    if header.get("id") != request_id:
        raise Malformed("an answer to no question of ours")
    _weigh([header.get(name) for name in TREES], tensors)
    outcome = header.get("outcome")
    common: dict[str, Any] = {
        "printed": _text(header.get("printed", ""), MAX_PRINTED),
        "warnings": tuple(_text(w, 600) for w in _list(header.get("warnings", []), 20)),
        "globals_changed": tuple(_text(g, 60) for g in _list(header.get("globals", []), 10)),
    }
    if "trace" in header:
        events = _list(unpack(header["trace"], tensors, _special), 1000)
        common["trace"] = tuple(_event(e) for e in events)
    if outcome == "raised":
        error = _error(header.get("error"))
        kind = Outcome.OUT_OF_MEMORY if _is_memory(error) else Outcome.RAISED
        return Observation(kind, error=error, **common)
    if outcome != "ok":
        raise Malformed(f"unknown outcome {outcome!r}")
    value = unpack(header.get("value"), tensors, _special)
    if parts is Parts.NAMES:
        value = _names(value)
    elif parts is Parts.MADE:
        value = _made(value)
    elif parts is Parts.LESSON:
        value = _lesson(value)
    if "changed" in header:
        changed = unpack(header["changed"], tensors, _special)
        common["changed"] = tuple(_text(c, 60) for c in _list(changed, 50))
    if "calls" in header:
        calls = _list(unpack(header["calls"], tensors, _special), 20)
        common["calls"] = tuple(_call(c) for c in calls)
    if "held" in header:
        common["held"] = _whole(header["held"])
    if header.get("overwritten") is True:
        common["overwritten"] = True
    if "shares" in header:
        common["shares"] = tuple(_text(s, 60) for s in _list(unpack(header["shares"], tensors, _special), 50))
    if header.get("registered") is True:
        common["registered"] = True
    if "grads" in header:
        common |= _gradients(unpack(header["grads"], tensors, _special))
    return Observation(Outcome.OK, value=value, **common)


def _weigh(trees: list[Any], tensors: dict[str, Tensor]) -> None:
    """Refuses an answer that is small and takes long to read: one tensor named a million times."""
    nodes = size = 0
    waiting = trees
    while waiting:
        tree = waiting.pop()
        nodes += 1
        if isinstance(tree, list):
            waiting.extend(tree)
        elif isinstance(tree, dict):
            if tree.get("$") == "tensor":
                name = tree.get("n")
                tensor = tensors.get(name) if isinstance(name, str) else None
                size += 0 if tensor is None else tensor.numel() * tensor.element_size()
            waiting.extend(v for v in tree.values() if isinstance(v, (dict, list)))
        if nodes > MAX_NODES or size > MAX_BYTES:
            raise Malformed("an answer that is too large")


def _names(value: Any) -> dict[str, str | None]:
    """What `load` answers: for each name that was asked for, its kind, or None."""
    return {name: None if kind is None else _text(kind, 60) for name, kind in _dict(value).items()}


def _made(value: Any) -> dict[str, Any]:
    """What `construct` answers: the handle and the state of an object, or that it is no module."""
    made = _dict(value)
    if made.get("module") is False:
        return {"module": False, "type": _text(made.get("type"), 200)}
    if made.get("module") is not True:
        raise Malformed("neither a module nor none")
    found: dict[str, Any] = {
        "module": True,
        "handle": _whole(made.get("handle")),
        "state": {_text(name, 400): _entry(entry) for name, entry in _dict(made.get("state")).items()},
        "shared": [[_text(n, 400) for n in _list(group, 5000)] for group in _list(made.get("shared"), 5000)],
        "plain": [_text(name, 400) for name in _list(made.get("plain"), 50)],
    }
    if "unset" in made:
        found["unset"] = [_text(name, 400) for name in _list(made["unset"], 5000)]
    if "values" in made:
        values = _dict(made["values"])
        if not all(isinstance(v, Tensor) for v in values.values()):
            raise Malformed("a value of the state that is no tensor")
        found["values"] = values
    return found


def _lesson(value: Any) -> dict[str, Any]:
    """What a lesson gave: for each call what was returned, and what was looked at."""
    told = _dict(value)
    found: dict[str, Any] = {"returned": _list(told.get("returned"), MAX_ROUNDS)}
    for name, seen in told.items():
        if name in PARAMETERS:
            found[name] = _list(seen, MAX_ROUNDS)
            if not all(isinstance(tensor, Tensor) for tensor in found[name]):
                raise Malformed("a parameter that is no tensor")
        elif name == "mode":
            found[name] = [_flag(flag) for flag in _list(seen, 2)]
        elif name == "steps":
            found[name] = _whole(seen)
        elif name in LOOKS:
            found[name] = _flag(seen)
        elif name != "returned":
            raise Malformed("something that was not looked at")
    return found


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Malformed("neither true nor false")
    return value


def _entry(value: Any) -> dict[str, Any]:
    """One entry of a module's state."""
    entry = _dict(value)
    kind, trains = entry.get("kind"), entry.get("trains")
    if kind not in ("parameter", "buffer") or not isinstance(trains, bool):
        raise Malformed("an entry of the state that is nothing")
    return {
        "shape": [_whole(n) for n in _list(entry.get("shape"), 64)],
        "dtype": _text(entry.get("dtype"), 60),
        "kind": kind,
        "trains": trains,
    }


def _special(tree: dict[str, Any]) -> Any:
    if tree.get("$") == "opaque":
        return Opaque(_text(tree.get("type", "?"), 400))
    if tree.get("$") == "device":
        return Opaque(f"device {_text(tree.get('v', '?'), 60)}")
    raise Malformed(f"unknown tag {str(tree.get('$'))[:60]!r}")


def _is_memory(error: ErrorInfo) -> bool:
    words = error.message.lower()
    return error.type == "MemoryError" or (
        "RuntimeError" in error.bases and any(m in words for m in MEMORY_WORDS)
    )


def _text(value: Any, limit: int) -> str:
    if not isinstance(value, str):
        raise Malformed(f"a {type(value).__name__} where text belongs")
    return value[:limit]


def _list(value: Any, limit: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > limit:
        raise Malformed("no list, or one that is too long")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 40:
        raise Malformed("no whole number")
    return value


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(k, str) for k in value):
        raise Malformed("no object")
    return value


def _frame(value: Any) -> Frame:
    entry = _dict(value)
    shapes = []
    for pair in _list(entry.get("shapes", []), 20):
        name, shape = _list(pair, 2)
        shapes.append((_text(name, 60), tuple(_whole(n) for n in _list(shape, 64))))
    return Frame(
        _text(entry.get("file"), 1000),
        _whole(entry.get("line")),
        _text(entry.get("function"), 200),
        tuple(shapes),
    )


def _error(value: Any) -> ErrorInfo:
    entry = _dict(value)
    missing = entry.get("missing")
    return ErrorInfo(
        _text(entry.get("type"), 200),
        _text(entry.get("message"), 4000),
        tuple(_text(b, 200) for b in _list(entry.get("bases", []), 10)),
        tuple(_frame(f) for f in _list(entry.get("frames", []), 20)),
        None if missing is None else _text(missing, 200),
    )


def _call(value: Any) -> dict[str, Any]:
    entry = _dict(value)
    arguments = [a for a in _list(entry.get("arguments", []), 4) if isinstance(a, Tensor)]
    return {"times": _whole(entry.get("times")), "arguments": arguments}


def _gradients(value: Any) -> dict[str, Any]:
    entry = _dict(value)
    status = entry.get("status")
    if status not in ("ok", "detached", "raised", "mismatch"):
        raise Malformed("unknown state of the gradients")
    found = _dict(entry.get("of", {}))
    if not all(g is None or isinstance(g, Tensor) for g in found.values()):
        raise Malformed("a gradient that is no tensor")
    error = entry.get("error")
    return {
        "gradient": status,
        "grads": found,
        "gradient_error": None if error is None else _error(error),
    }


def _event(value: Any) -> Event:
    entry = _dict(value)
    result = entry.get("value")
    operands = entry.get("operands")
    if operands is not None:
        operands = tuple(tuple(_whole(n) for n in _list(s, 32)) for s in _list(operands, 6))
    return Event(
        _text(entry.get("file"), 1000),
        _whole(entry.get("line")),
        _text(entry.get("function"), 200),
        _text(entry.get("op"), 60),
        result if isinstance(result, Tensor) else None,
        tuple(_whole(line) for line in _list(entry.get("path", []), 20)),
        _text(entry.get("through", ""), 1000),
        tuple(_whole(place) for place in _list(entry.get("site", []), 20)),
        _whole(entry.get("part", 0)),
        tuple(_whole(n) for n in _list(entry.get("strides", []), 32)),
        operands,
    )
