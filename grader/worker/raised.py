"""Exceptions of the learner's code as data."""

from __future__ import annotations

import traceback
from collections.abc import Collection
from typing import Any

from torch import Tensor

from grader.worker import guard

__all__ = ["described_error", "short"]

MAX_FRAMES = 12
MAX_MESSAGE = 2000


def described_error(error: BaseException, files: Collection[str]) -> dict[str, Any]:
    """An exception as data: type, message, and the learner's own frames, innermost last."""
    frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name in files:
            entry: dict[str, Any] = {"file": name, "line": line, "function": frame.f_code.co_name}
            entry["shapes"] = _shapes(frame.f_locals)
            frames.append(entry)
    if isinstance(error, SyntaxError) and error.filename in files:
        frames.append({"file": error.filename, "line": error.lineno or 1, "function": "", "shapes": []})
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001  a learner's __str__ may raise anything
        message = ""
    found = {
        "type": _class_name(type(error)),
        "bases": [_class_name(base) for base in _mro(type(error))[:8]],
        "message": short(message, MAX_MESSAGE),
        "frames": frames[-MAX_FRAMES:],
    }
    refused = next((words for words in guard.refused() if words in message), None)
    if refused is not None:  # TorchScript, and whoever else runs code of its own, wraps exceptions
        found |= {"type": guard.ForbiddenOperation.__name__, "message": short(refused, MAX_MESSAGE)}
    missing = getattr(error, "name", None)
    if isinstance(error, ImportError) and isinstance(missing, str):
        found["missing"] = missing[:200]
    error.__traceback__ = None
    return found


def short(text: str, limit: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= limit else text[:limit] + "…"


# past what a metaclass may say
_name: Any = type.__dict__["__name__"].__get__
_mro: Any = type.__dict__["__mro__"].__get__


def _class_name(kind: type) -> str:
    return str(_name(kind))[:200]


def _shapes(names: dict[str, Any]) -> list[Any]:
    return [
        [str(name)[:60], list(value.shape)]
        for name, value in list(names.items())[:60]
        if isinstance(value, Tensor)
    ][:12]
