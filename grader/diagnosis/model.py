"""The executable model of an exercise: the right computation as named steps, in float64.

A step is a function of the `State`; its name is the name under which its result is kept, so that
later steps read ``s.scores`` after the step ``scores``.  The last step is always ``result``.  A fault
replaces one step or several by the mistaken computation, and the same machinery then predicts what
a learner who made that mistake would be seen to produce: values, exceptions, changed arguments,
gradients, dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.submission.client import Callback, Device
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.text import Text
from grader.worker import callables
from grader.worker.wire import dtype_of

__all__ = [
    "ANYTHING",
    "Model",
    "Prediction",
    "Probe",
    "State",
    "Step",
    "cotangents",
    "float_tensors",
    "predict",
]

Step = Callable[["State"], Any]


class _Anything:
    """Stands for a value that the model cannot know (say, one that depends on random weights)."""

    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING = _Anything()
IMPOSSIBLE = "impossible combination"  # the type of an error that no observation has


@dataclass(frozen=True)
class Probe:
    """One deterministic call of the learner's code.

    name: unique within the exercise; target: the function or class; args, kwargs: of the call;
    init: constructor keywords of a class, None for a function; state: tensors set through the state
    dict; train: the mode; dtype: the module is converted to it; grad: whether gradients are compared;
    condition: by how much the computation amplifies a rounding error (for attention, the largest
    logit); where: compares the first output only where this mask is true; title: what the probe is, as
    words in a sentence.  A class probe without `args` observes construction only: the names, shapes
    and kinds of the state (with `values`, their values).  tier: ``core``, ``edge``, or ``tie`` for a
    probe that only chooses between explanations that are equal otherwise.
    """

    name: str
    target: str
    title: Text
    args: tuple[Any, ...] | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    init: Mapping[str, Any] | None = None
    state: Mapping[str, Tensor] | None = None
    train: bool = False
    dtype: str | None = None
    grad: bool = False
    tier: str = "core"
    condition: float = 4.0
    values: bool = False
    where: Tensor | None = None

    def __hash__(self) -> int:
        return hash((self.target, self.name))

    def but(self, **changes: Any) -> Probe:
        """The same probe with some fields changed."""
        return replace(self, **changes)


class State:
    """What the steps of one run read and write.

    Floating-point inputs are float64 whatever the probe's dtype; `dtype` is the dtype of the first
    floating-point input, and what `result` returns is cast to `out_dtype`, which starts as `dtype`.
    """

    def __init__(self, probe: Probe, model: Model) -> None:
        self.probe = probe
        self.train = probe.train
        self.at = ""
        self.changed: list[str] = []
        self.out_dtype: torch.dtype | None = None
        self.precision: torch.dtype | None = None
        self.raw: dict[str, Any] = {}
        self.calls: list[int] = []
        self.leaves: dict[str, Tensor] = {}
        settings = dict(model.settings)
        if probe.init is not None:
            settings |= probe.init
        self.settings = settings
        for name, value in settings.items():
            setattr(self, name, value)
        self.dtype = torch.float32
        self._memo: dict[int, Tensor] = {}
        given = probe.state or {}
        if probe.grad:
            self.state = {k: self._lift(f"param:{k}", v) for k, v in given.items()}
        else:  # a state has many tensors, and most runs need no leaves
            self.state = {k: v if v.dtype is torch.float64 else self._lift(k, v) for k, v in given.items()}
        self._bind(model)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the model has no value called {name!r} yet")

    if TYPE_CHECKING:  # steps and faults keep what they like on a state

        def __setattr__(self, name: str, value: Any) -> None: ...

    def _bind(self, model: Model) -> None:
        given = dict(zip(model.inputs, self.probe.args or ()))
        given |= self.probe.kwargs
        found = False
        for name in model.inputs:
            value = given.get(name)
            self.raw[name] = value
            if isinstance(value, Tensor) and value.is_floating_point() and not found:
                self.dtype, found = value.dtype, True
            setattr(self, name, self._wrap(name, value))
        if not found and self.probe.dtype:
            self.dtype = dtype_of(self.probe.dtype)
        self.out_dtype = self.dtype

    def _wrap(self, name: str, value: Any) -> Any:
        if isinstance(value, Tensor):
            if not value.is_floating_point() or name == "mask":
                return value
            return self._lift(name, value)
        if isinstance(value, Callback):
            return self._callable(value)
        if isinstance(value, Device):
            return torch.device(value.name)
        return value

    def _lift(self, name: str, value: Tensor) -> Tensor:
        if not value.is_floating_point():
            return value
        if id(value) not in self._memo:
            wide = value.to(torch.float64)
            if self.probe.grad:
                wide = wide.detach().requires_grad_(True)
            self._memo[id(value)] = wide
        if self.probe.grad:
            self.leaves[name] = self._memo[id(value)]
        return self._memo[id(value)]

    def _callable(self, spec: Callback) -> Callable[..., Tensor]:
        number = len(self.calls)
        self.calls.append(0)
        settings = {k: v.double() if isinstance(v, Tensor) else v for k, v in spec.settings.items()}

        def run(x: Tensor) -> Tensor:
            self.calls[number] += 1
            return callables.CALLABLES[spec.name](x, **settings)

        return run

    def touch(self, name: str) -> None:
        """Notes that the argument called `name` is changed in place."""
        self.changed.append(name)


class Model:
    """The right computation of one function or class, as an ordered table of steps."""

    def __init__(self, target: str, inputs: tuple[str, ...], **settings: Any) -> None:
        self.target = target
        self.inputs = inputs
        self.settings = settings
        self.steps: dict[str, Step] = {}

    def step(self, function: Step) -> Step:
        """Registers a step under the function's name."""
        self.steps[function.__name__] = function
        return function

    def include(self, other: Model, *names: str) -> None:
        """Takes over steps of another model (all of them, or those named)."""
        for name in names or tuple(other.steps):
            self.steps[name] = other.steps[name]

    def run(self, probe: Probe, instead: Mapping[str, Step] | None = None) -> State:
        """The state after all steps, with the replacements in `instead`."""
        state = State(probe, self)
        self.go(state, instead)
        return state

    def go(self, state: State, instead: Mapping[str, Step] | None) -> None:
        """Runs the steps on a state; `state.at` is the step under way."""
        for name, step in self.steps.items():
            state.at = name
            chosen = instead.get(name, step) if instead else step
            setattr(state, name, chosen(state))


@dataclass(frozen=True)
class Prediction:
    """What would be observed of a learner with the given mistakes.

    state: the steps' values (those before the exception when the step `raised_in` raises one).
    """

    seen: Observation
    state: State | None
    precision: torch.dtype
    calls: tuple[int, ...] = ()
    raised_in: str | None = None


def predict(model: Model, probe: Probe, instead: Mapping[str, Step] | None = None) -> Prediction:
    """Runs the model on the probe, as if it were a submission with these replacements."""
    state: State | None = None
    try:
        with torch.set_grad_enabled(probe.grad):
            state = State(probe, model)
            model.go(state, instead)
            value = _cast(state.result, state.out_dtype)
    except (RuntimeError, ValueError, TypeError, IndexError, AssertionError, AttributeError) as error:
        names = tuple(base.__name__ for base in type(error).__mro__)
        seen = Observation(Outcome.RAISED, error=ErrorInfo(type(error).__name__, str(error), names))
        return Prediction(seen, state, torch.float64, raised_in=state.at if state else None)
    except Exception as error:  # noqa: BLE001  two replacements that do not fit together: no program does this
        seen = Observation(Outcome.RAISED, error=ErrorInfo(IMPOSSIBLE, repr(error)))
        return Prediction(seen, state, torch.float64, raised_in=state.at if state else None)
    gradient: str | None = None
    grads: dict[str, Tensor | None] = {}
    if probe.grad:
        gradient, grads = _gradients(value, state)
        value = _detached(value)
    seen = Observation(
        Outcome.OK,
        value=value,
        changed=tuple(state.changed),
        gradient=gradient,
        grads=grads,
    )
    precision = state.precision or state.out_dtype or state.dtype
    return Prediction(seen, state, precision, tuple(state.calls))


def cotangents(value: Any) -> list[Tensor | None]:
    """Fixed pseudo-random cotangents: one for the first tensor of the value, none for the others."""
    first = True
    found: list[Tensor | None] = []
    for tensor in float_tensors(value):
        if first:
            generator = torch.Generator().manual_seed(tensor.numel() + 17)
            found.append(torch.randn(tensor.shape, generator=generator, dtype=torch.float64))
            first = False
        else:
            found.append(None)
    return found


def float_tensors(value: Any) -> list[Tensor]:
    """The floating-point tensors of a tree, in order."""
    if isinstance(value, Tensor):
        return [value] if value.is_floating_point() else []
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in float_tensors(item)]
    if isinstance(value, dict):
        return [t for item in value.values() for t in float_tensors(item)]
    return []


def _gradients(value: Any, state: State) -> tuple[str, dict[str, Tensor | None]]:
    seeds = cotangents(value)
    pairs = [(o, s) for o, s in zip(float_tensors(value), seeds) if s is not None and o.requires_grad]
    if not pairs or not state.leaves:
        return "detached", {}
    total = torch.stack([(o.double() * s).sum() for o, s in pairs]).sum()
    try:
        found = torch.autograd.grad(total, list(state.leaves.values()), allow_unused=True)
    except RuntimeError:
        return "raised", {}
    return "ok", dict(zip(state.leaves, found))


def _cast(value: Any, dtype: torch.dtype | None) -> Any:
    if isinstance(value, Tensor):
        return value.to(dtype) if dtype is not None and value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return tuple(_cast(item, dtype) for item in value)
    if isinstance(value, dict):
        return {key: _cast(item, dtype) for key, item in value.items()}
    return value


def _detached(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, tuple):
        return tuple(_detached(item) for item in value)
    if isinstance(value, dict):
        return {key: _detached(item) for key, item in value.items()}
    return value
