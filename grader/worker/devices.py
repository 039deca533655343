"""Pretends that a call's tensors are on an accelerator, and refuses to mix devices as one does.

The grader's machine need not have one.  All the tensors here lie on the CPU; which of them would be
elsewhere is written down: the arguments are, the owner's parameters and buffers are, and what is computed
from them or made with their ``device`` is.  What is made without one is on the CPU, and an operation on
both raises.  This is no stricter than an accelerator: a tensor without dimensions may be anywhere, indices
and what is copied may come from the CPU, and a tensor whose origin was not seen is held against nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

__all__ = ["DeviceMismatch", "OneDevice"]

ELSEWHERE, HERE = "elsewhere", "cpu"
AWAY = torch.device("meta")  # what the device of a tensor that is elsewhere is said to be
# the names of the operations that need all their tensors in one place, without underscores
WORDS = (
    "add iadd radd sub isub rsub subtract mul imul rmul multiply div idiv rdiv divide truediv itruediv "
    "rtruediv true_divide floordiv ifloordiv floor_divide remainder mod fmod pow ipow rpow "
    "matmul imatmul rmatmul mm bmm mv dot addmm baddbmm addbmm einsum tensordot inner outer linear bilinear "
    "where masked_fill maximum minimum fmax fmin lerp addcmul addcdiv "
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor and iand rand or ior ror xor ixor "
    "rxor eq ne lt le gt ge not_equal greater less greater_equal less_equal "
    "embedding index_select gather take_along_dim cat concat concatenate stack hstack vstack dstack"
)
STRICT = frozenset(WORDS.split())
OWN_PLACE = frozenset(("getitem", "setitem", "copy", "index_put", "expand_as", "view_as", "reshape_as"))
MOVES = frozenset(("to", "cpu", "type_as"))  # what may return the very tensor it is given


class DeviceMismatch(RuntimeError):
    """Two tensors that should be on one device are not, or the result is not where the input is."""


class OneDevice(TorchFunctionMode):
    """While active, an operation on a tensor that is elsewhere and one that is on the CPU raises."""

    def __init__(self, elsewhere: Iterable[Tensor], here: Iterable[Tensor]) -> None:
        super().__init__()
        self.places: dict[int, str] = {}
        self.kept: list[Tensor] = []  # keeps the numbers that tensors are known by from reuse
        for tensors, place in ((elsewhere, ELSEWHERE), (here, HERE)):
            for tensor in tensors:
                self.put(tensor, place)

    def put(self, tensor: Tensor, place: str | None) -> None:
        self.kept.append(tensor)
        if place is None:
            self.places.pop(id(tensor), None)
        else:
            self.places[id(tensor)] = place

    def place(self, tensor: Tensor) -> str | None:
        return self.places.get(id(tensor))

    def judge(self, value: Any) -> None:
        """Raises when a returned tensor was left on the CPU."""
        if any(self.place(t) == HERE and t.dim() > 0 for t in _tensors([value])):
            raise DeviceMismatch("the result is on the CPU, not where the input is")

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func == Tensor.device.__get__:
            return AWAY if self.place(args[0]) == ELSEWHERE else func(*args)
        name = getattr(func, "__name__", "?").strip("_")
        found = list(_tensors((args, tuple(given.values()))))
        places = {self.place(t) for t in found if t.dim() > 0}
        if name in STRICT and {ELSEWHERE, HERE} <= places:
            raise DeviceMismatch("expected all tensors on the same device, but found at least two devices")
        asked = _asked(name, args, given)
        args = tuple(_home(a) if name == "to" else a for a in args)
        if "device" in given:
            given["device"] = _home(given["device"])
        result = func(*args, **given)
        place = self._place_of_result(name, args, found, asked)
        if name in MOVES and isinstance(result, Tensor):
            result = result.view_as(result)  # elsewhere it would be a tensor of its own
        for tensor in _tensors([result]):
            if not any(tensor is t for t in found):  # in place: it stays where it is
                self.put(tensor, place)
        return result

    def _place_of_result(
        self, name: str, args: tuple[Any, ...], found: list[Tensor], asked: str | None
    ) -> str | None:
        if asked is not None:
            return asked
        if name in OWN_PLACE and args and isinstance(args[0], Tensor):
            return self.place(args[0])
        places = {self.place(t) for t in found} or {HERE}  # made of nothing: on the CPU
        if ELSEWHERE in places:
            return ELSEWHERE
        return HERE if places == {HERE} else None


def _asked(name: str, args: tuple[Any, ...], given: dict[str, Any]) -> str | None:
    """Where the call says that its result shall be."""
    if name == "cpu":
        return HERE
    said = [given.get("device")] + (list(args[1:]) if name == "to" else [])
    for device in said:
        if isinstance(device, (str, torch.device)):
            return ELSEWHERE if torch.device(device) == AWAY else HERE
    return None


def _home(device: Any) -> Any:
    away = isinstance(device, (str, torch.device)) and torch.device(device) == AWAY
    return torch.device("cpu") if away else device


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif isinstance(value, dict):
            yield from _tensors(value.values())
