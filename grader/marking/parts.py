"""The learner's earlier parts, called through the wall by a model that stands on them.

A part gets what a step of the model has worked out, in the dtype of the probe, and gives back what the
learner's code makes of it; gradients cross the wall as vector-Jacobian products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import CarriedError, State
from grader.submission.asking import Asked, ask_call, ask_construct
from grader.submission.client import Callback, Client
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.worker.wire import dtype_name

__all__ = ["Part"]

MAX_KEPT = 2000
LEAST = 1e-3  # what it says differs by, where it is given something else
FEW = 4  # one of so many calls is looked at first
SAYING = 0.85  # of the calls must depend on what is given (a query that may look at no key gives zeros)


@dataclass(frozen=True)
class _Slot:
    """Stands in a request for the n-th floating-point tensor."""

    number: int


@dataclass(frozen=True)
class _Request:
    """One call without its tensors: keys say under which name the worker speaks of each of them."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    init: Mapping[str, Any] | None
    state: Mapping[str, Any] | None
    tap: bool
    train: bool
    dtype: torch.dtype
    keys: tuple[str, ...]


@dataclass
class Part:
    """A function or class of an earlier exercise, in a worker of its own."""

    client: Client
    target: str
    inputs: tuple[str, ...]
    kept: dict[tuple[bytes, bytes], tuple[_Question, Observation]] = field(default_factory=dict)

    def __call__(
        self,
        s: State,
        *args: Any,
        init: Mapping[str, Any] | None = None,
        state: Mapping[str, Tensor] | None = None,
        tap: bool = False,
        **kwargs: Any,
    ) -> Any:
        """What the learner's part gives for these arguments, in float64; raises what it raises."""
        tensors: list[Tensor] = []
        keys: list[str] = []

        def slotted(value: Any, key: str) -> Any:
            if isinstance(value, Callback):
                settings = {k: slotted(v, key) for k, v in value.settings.items()}
                return replace(value, settings=settings)
            if isinstance(value, Tensor) and value.is_floating_point() and key != "mask":
                tensors.append(value)
                keys.append(key)
                return _Slot(len(tensors) - 1)
            return value

        callables = 0
        given = []
        for place, value in enumerate(args):
            name = str(place)
            if isinstance(value, Callback):
                name, callables = f"callable:{callables}", callables + 1
            elif self.inputs[place] == "mask":
                name = "mask"
            given.append(slotted(value, name))
        request = _Request(
            tuple(given),
            {k: slotted(v, k) for k, v in kwargs.items()},
            init,
            None if state is None else {k: slotted(v, f"param:{k}") for k, v in state.items()},
            tap,
            s.train,
            s.dtype,
            tuple(keys),
        )
        seen = self.observe(request, [t.detach() for t in tensors])
        self._note(s, seen, request)
        found = list(_floats(seen.value))
        if s.probe.grad and found and any(t.requires_grad for t in tensors):
            wide = _Through.apply(self, request, seen, *tensors)  # type: ignore[no-untyped-call]
        else:
            wide = [t.double().clone() for t in found]
        return _rebuilt(seen.value, iter(wide))

    def observe(
        self, request: _Request, tensors: list[Tensor], cotangents: list[Tensor | None] | None = None
    ) -> Observation:
        """One call of the part; the same call is made once."""
        question = request, [t.to(request.dtype) for t in tensors], cotangents
        asked = self._asked(*question)
        key = asked.head, asked.payload  # parts are asked with states of their own, none of them fixed
        if key not in self.kept:
            if len(self.kept) > MAX_KEPT:
                self.kept.clear()
            self.kept[key] = question, self._answer(asked, request)
        return self.kept[key][1]

    def can_be_stood_on(self, client: Client, at_most: int = 40) -> bool:
        """Whether the part is a function, and one of what it is given: asked in another worker, and in
        another order, it says the same; and something else where it is given something else.

        One that counts its calls, or remembers the first of them, or gives nothing but zeros for most of
        them, is no part that others can stand on.
        """
        again = replace(self, client=client, kept={})
        every = max(1, -(-len(self.kept) // at_most))
        chosen = list(self.kept.values())[::-every]
        asked = told = 0
        for number, (question, said) in enumerate([*chosen[::FEW], *_others(chosen, FEW)]):
            if number == len(chosen[::FEW]) and told == asked > 0:
                break  # all of a few that are spread over them
            request, tensors, cotangents = question
            if not _same(again._ask(request, tensors, cotangents), said):
                return False
            if said.ok and tensors:  # one that raises says that much
                other = again._ask(request, [_other(t) for t in tensors], cotangents)
                asked, told = asked + 1, told + (not _same(other, said, LEAST))
        return told >= SAYING * asked

    def _ask(
        self, request: _Request, tensors: list[Tensor], cotangents: list[Tensor | None] | None
    ) -> Observation:
        return self._answer(self._asked(request, tensors, cotangents), request)

    def _asked(
        self, request: _Request, tensors: list[Tensor], cotangents: list[Tensor | None] | None
    ) -> Asked:
        fill = _filler(tensors)
        options: dict[str, Any] = {} if cotangents is None else {"cotangents": cotangents}
        if request.tap:
            options["tap"] = True
        args = tuple(fill(a) for a in request.args)
        kwargs = {k: fill(v) for k, v in request.kwargs.items()}
        module = self.client.module
        if request.init is None:
            return ask_call(module, self.target, args, kwargs, {"seed": 0, **options})
        follow = {"args": args, "kwargs": kwargs, "train": request.train, "seed": 0, **options}
        making = {
            "state": None if request.state is None else {k: fill(v) for k, v in request.state.items()},
            "train": request.train,
            "dtype": dtype_name(request.dtype),
            "seed": 0,
            "then": follow,
        }
        return ask_construct(module, self.target, (), request.init, making)

    def _answer(self, asked: Asked, request: _Request) -> Observation:
        seen = self.client.ask(lambda: asked)
        if request.init is None:
            return seen
        if seen.ok and isinstance(seen.value, dict) and seen.value.get("module") is False:
            return replace(seen, outcome=Outcome.RAISED, error=ErrorInfo("TypeError", "no nn.Module"))
        return seen

    def _note(self, s: State, seen: Observation, request: _Request) -> None:
        """Shows on the state what the part did besides giving a value."""
        if not seen.ok:
            raise CarriedError(seen.error or ErrorInfo(seen.outcome.value, ""))
        changed = {self._name(c) for c in seen.changed}
        if "mask" in changed and s.raw.get("mask") is not None:
            s.touch("mask")  # it is the caller's own memory, however it was reshaped
        first = next(_floats(seen.value), None)
        s.mixed_dtype = first.dtype if first is not None and first.dtype is not request.dtype else None

    def _name(self, key: str) -> str:
        return self.inputs[int(key)] if key.isdigit() and int(key) < len(self.inputs) else key


def _others(chosen: list[Any], every: int) -> list[Any]:
    """All but one of so many."""
    return [one for number, one in enumerate(chosen) if number % every]


_Question = tuple[_Request, list[Tensor], "list[Tensor | None] | None"]


def _other(tensor: Tensor) -> Tensor:
    """Other numbers of the same shape."""
    noise = torch.arange(1, tensor.numel() + 1, dtype=torch.float64).mul(1.7).sin().reshape(tensor.shape)
    return (tensor.double() + noise).to(tensor.dtype)


def _same(one: Observation, other: Observation, within: float = 0.0) -> bool:
    """Whether two observations hold the same numbers, NaN and all, to that accuracy."""
    if one.outcome is not other.outcome:
        return False
    pairs = list(zip_longest(_floats(one.value), _floats(other.value)))
    return all(a is not None and b is not None and _near(a, b, within) for a, b in pairs)


def _near(a: Tensor, b: Tensor, within: float) -> bool:
    return a.shape == b.shape and torch.allclose(a.double(), b.double(), 0.0, within, equal_nan=True)


class _Through(torch.autograd.Function):
    """The part as a differentiable function: its backward pass is the worker's."""

    @staticmethod
    def forward(
        ctx: Any, part: Part, request: _Request, seen: Observation, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        ctx.part, ctx.request = part, request
        ctx.save_for_backward(*tensors)
        return tuple(t.double().clone() for t in _floats(seen.value))  # the observation is kept

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Any, ...]:
        tensors = ctx.saved_tensors
        seen = ctx.part.observe(ctx.request, [t.detach() for t in tensors], list(cotangents))
        if not seen.ok or seen.gradient != "ok":
            return (None, None, None, *(None for _ in tensors))
        found = [seen.grads.get(key) for key in ctx.request.keys]
        return (None, None, None, *(None if g is None else g.double() for g in found))


def _floats(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _floats(item)


def _rebuilt(value: Any, floats: Iterator[Tensor]) -> Any:
    if isinstance(value, Tensor):
        return next(floats) if value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return tuple(_rebuilt(item, floats) for item in value)
    return value


def _filler(tensors: list[Tensor]) -> Callable[[Any], Any]:
    def fill(value: Any) -> Any:
        if isinstance(value, _Slot):
            return tensors[value.number]
        if isinstance(value, Callback):
            return replace(value, settings={k: fill(v) for k, v in value.settings.items()})
        return value

    return fill
