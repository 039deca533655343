"""Objects that were made and called before, for the next call of one that would be made the same way.

To make a module takes as long as to call it, and a suite calls many that are made alike.  An object that
is to the last attribute what it was when it was made is as good as a new one; one that a call has changed
in any way is not used again, nor is one of which that cannot be told.
"""

from __future__ import annotations

import json
import re
import sys
import types
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from grader.worker.looking import modules_of, state_within

__all__ = ["Kept", "Shelf"]

MOST = 24  # objects
# a program that may keep something where nobody looks, or change what it is made of unseen
UNSURE = re.compile(
    r"\.data\b|cache|memo|numpy|ctypes|weakref|nonlocal|__dict__|__slots__|__closure__|__defaults__|"
    r"\bgc\b|\btime\b|\brandom\b|\bid\(|_version|storage|jit|inference_mode|share_memory|hook|backward",
    re.IGNORECASE,
)
PLAIN = (type(None), bool, int, float, str, torch.dtype, torch.device, torch.Size)
TENSORS = (Tensor, nn.Parameter)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)
ABOUT = ("args", "kwargs", "module", "name", "dtype", "seed", "poison", "values")

_no_grad, _copy_all, _plainly = torch.no_grad, torch._foreach_copy_, torch._C.DisableTorchFunctionSubclass
_get, _train = object.__getattribute__, nn.Module.train
_base: Any = torch._C.TensorBase
_version, _trains, _shape = _base._version.__get__, _base.requires_grad.__get__, _base.shape.__get__
_HELD = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
_NEW = nn.Module().__dict__
_USUAL = frozenset(_NEW)
_HOOKS = tuple(name for name, value in _NEW.items() if isinstance(value, dict) and name not in _HELD)


class _Unsure(Exception):
    """It cannot be told whether this object changes."""


def _known(value: Any) -> None:
    """Raises `_Unsure` for a value that may change without being another one."""
    if isinstance(value, tuple):
        for item in value:
            _known(item)
    elif isinstance(value, FUNCTIONS):
        if getattr(value, "__closure__", None):
            raise _Unsure
        _known(getattr(value, "__defaults__", None) or ())
        _known(tuple((getattr(value, "__kwdefaults__", None) or {}).values()))
    elif not isinstance(value, (*PLAIN, type)) and type(value) not in TENSORS:
        raise _Unsure


class Kept:
    """An object, and all that it is made of, as it was when it was new."""

    def __init__(self, made: nn.Module) -> None:
        """Raises `_Unsure` where it may change without being seen to."""
        self.made = made
        named = list(modules_of(made))
        parts = list({id(part): part for _, part in named}.values())
        self.state = state_within(named)
        self._owns: list[dict[str, Any]] = [_get(part, "__dict__") for part in parts]
        self._modes = [own.get("training") for own in self._owns]
        self._plain_mode = all(
            type(p).train is _train and "train" not in o for p, o in zip(parts, self._owns)
        )
        self._before: list[tuple[Any, Any]] = []
        self._hooks: list[Any] = []
        tensors: dict[int, Tensor] = {}
        for part, own in zip(parts, self._owns):
            if not own.keys() >= _USUAL or any("__slots__" in vars(kind) for kind in type(part).__mro__):
                raise _Unsure
            for name in own.keys() - _USUAL:
                _known(own[name])
            self._hooks += [own[name] for name in _HOOKS]
            self._before.append((own, dict(own)))
            self._before += [(own[name], own[name].copy()) for name in _HELD]
            for where in (own["_parameters"], own["_buffers"], own):
                tensors |= {id(t): t for t in where.values() if isinstance(t, Tensor)}
        if any(self._hooks) or any(type(t) not in TENSORS for t in tensors.values()):
            raise _Unsure
        self._tensors = [(t, _version(t), _trains(t)) for t in tensors.values()]
        self._chance = torch.default_generator.get_state()

    def as_new(self, given: Mapping[str, Tensor]) -> bool:
        """Whether it is as good as a new one that is given these entries of its state."""
        state = self.state
        replaced = {
            id(state[name]) for name, t in given.items() if name in state and _shape(state[name]) == _shape(t)
        }
        for own, mode in zip(self._owns, self._modes):
            own["training"] = mode
        try:
            if any(now != before for now, before in self._before) or any(self._hooks):
                return False
        except Exception:  # noqa: BLE001  a tensor in place of another does not say whether it is equal
            return False
        if not all(
            _trains(t) == trains and (_version(t) == version or id(t) in replaced)
            for t, version, trains in self._tensors
        ):
            return False
        torch.default_generator.set_state(self._chance)
        return True

    def prepare(self, given: Mapping[str, Tensor], mode: bool) -> None:
        """Copies the entries of a state, and does what `made.train(mode)` does, each by the shortest way."""
        pairs = [(t, value) for n, value in given.items() if (t := self.state.get(n)) is not None]
        pairs = [(t, value) for t, value in pairs if _shape(t) == _shape(value)]
        if pairs:
            with _no_grad(), _plainly():
                _copy_all([t for t, _ in pairs], [value for _, value in pairs])
        if not self._plain_mode:
            self.made.train(mode)
            return
        for own in self._owns:
            own["training"] = mode


class Shelf:
    """The objects of one worker that may be used again, by the request that made them."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        """`sources`: the text of each module that the submission has."""
        self._unread = dict(sources)
        self._open = True
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def name(self, request: Mapping[str, Any]) -> str | None:
        """What objects are called that are made as this request says; None where they are not kept."""
        for module in [m for m in self._unread if m in sys.modules]:  # imported since
            self._open = UNSURE.search(self._unread.pop(module)) is None and self._open
        if not self._open or request.get("device"):
            return None
        name = json.dumps([request.get(name) for name in ABOUT])
        return None if '"$"' in name else name

    def take(self, name: str | None, given: Mapping[str, Tensor]) -> Kept | None:
        """An object that is as good as a new one.  It goes back by `put`."""
        kept = self._kept.pop(name, None) if name is not None else None
        return kept if kept is not None and kept.as_new(given) else None

    def kept(self, made: nn.Module) -> Kept | None:
        """A new object, before its state is given; None where it cannot be told when it changes."""
        try:
            return Kept(made)
        except (_Unsure, RuntimeError, TypeError, AttributeError):
            return None

    def put(self, name: str, kept: Kept) -> None:
        """For the next one who asks."""
        self._kept[name] = kept
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
