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
MAX_OPERANDS, MAX_AXES = 6, 32

# past what a subclass may say of itself
_base: Any = torch._C.TensorBase
_shape, _stride = _base.shape.__get__, _base.stride


class Recorder(TorchFunctionMode):
    """While active, notes (file, line, operation, result) for operations called from learner files.

    An operation is attributed to the innermost line of `main`, the file that is being graded, even
    where an earlier exercise that it calls carries it out; `path` holds the lines of that file that were
    under way, outermost first; `through` names the other file, and `site` the places in the code, from
    which the turns of a loop are counted; `part` is the place of a tensor in a result of several.  Of an
    operation that raises, the shapes of its `operands` are noted instead of a value.
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
        try:
            result = func(*args, **(kwargs or {}))
        except Exception:
            if len(self.events) < MAX_EVENTS:
                self._note_raised(getattr(func, "__name__", "?"), args)
            raise
        given = args[0] if func is Tensor.__setitem__ else result  # which returns nothing
        for place, part in enumerate(given) if isinstance(given, tuple) else ((0, given),):
            if isinstance(part, Tensor) and len(self.events) < MAX_EVENTS:
                self._note(getattr(func, "__name__", "?"), part, place)
        return result

    def _note_raised(self, name: str, args: tuple[Any, ...]) -> None:
        event = self._event(name)
        if event is not None:
            tensors = [a for a in args if isinstance(a, Tensor)]
            with torch._C.DisableTorchFunctionSubclass():
                event["operands"] = [list(_shape(t))[:MAX_AXES] for t in tensors[:MAX_OPERANDS]]
            self.events.append(event)

    def _event(self, name: str) -> dict[str, Any] | None:
        """What there is to say of the place of an operation; None where it is not the learner's."""
        inner = _within(sys._getframe(3), self.files)
        if inner is None or name in ("__get__", "__set__"):
            return None
        frame = _within(inner, {self.main}) or inner
        return {
            "file": frame.f_code.co_filename,
            "line": frame.f_lineno,
            "function": frame.f_code.co_name,
            "op": name[:60],
            "path": _path(inner, self.main),
            "through": "" if inner is frame else inner.f_code.co_filename,
            "site": _site(inner, frame),
            "value": None,
        }

    def _note(self, name: str, result: Tensor, part: int) -> None:
        event = self._event(name)
        if event is None:
            return
        event["part"] = part
        with torch._C.DisableTorchFunctionSubclass():
            event["strides"] = list(_stride(result))[:MAX_AXES]
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


def _site(frame: Any, last: Any) -> list[int]:
    """The places in the code of the frames from one outwards to another."""
    places: list[int] = []
    while frame is not None and len(places) < 20:
        places.append(frame.f_lasti)
        if frame is last:
            break
        frame = frame.f_back
    return places


def _path(frame: Any, main: str) -> list[int]:
    lines: list[int] = []
    while frame is not None and len(lines) < 20:
        if frame.f_code.co_filename == main:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return lines[::-1]
