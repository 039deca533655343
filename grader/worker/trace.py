"""Records, for each tensor operation of the learner's code, its line and a summary of its result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

__all__ = ["Recorder"]

MAX_EVENTS = 400
MAX_KEPT = 200_000


class Recorder(TorchFunctionMode):
    """While active, notes (file, line, operation, result) for operations called from learner files.

    An operation is attributed to the innermost line of `main`, the file that is being graded, even
    where an earlier exercise that it calls carries it out; `path` holds the lines of that file that were
    under way, outermost first.
    """

    def __init__(self, files: set[str], main: str) -> None:
        super().__init__()
        self.files = files
        self.main = main
        self.events: list[dict[str, Any]] = []
        self.kept = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = args[0] if func is Tensor.__setitem__ else result  # which returns nothing
        for part in given if isinstance(given, tuple) else (given,):
            if isinstance(part, Tensor) and len(self.events) < MAX_EVENTS:
                self._note(getattr(func, "__name__", "?"), part)
        return result

    def _note(self, name: str, result: Tensor) -> None:
        inner = _within(sys._getframe(2), self.files)
        if inner is None or name in ("__get__", "__set__"):
            return
        frame = _within(inner, {self.main}) or inner
        event: dict[str, Any] = {
            "file": frame.f_code.co_filename,
            "line": frame.f_lineno,
            "function": frame.f_code.co_name,
            "op": name[:60],
            "path": _path(inner, self.main),
            "value": None,
        }
        if self.kept + result.numel() <= MAX_KEPT and type(result) is not torch.nn.Parameter:
            self.kept += result.numel()
            with torch._C.DisableTorchFunctionSubclass():
                event["value"] = result.detach().clone()
        self.events.append(event)


def _within(frame: Any, files: set[str]) -> Any:
    """The innermost frame, from this one outwards, whose code is in one of the files."""
    while frame is not None and frame.f_code.co_filename not in files:
        frame = frame.f_back
    return frame


def _path(frame: Any, main: str) -> list[int]:
    lines: list[int] = []
    while frame is not None and len(lines) < 20:
        if frame.f_code.co_filename == main:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return lines[::-1]
