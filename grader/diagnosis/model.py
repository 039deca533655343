"""The executable model of an exercise: the right computation as named steps, in float64.

A step is a function of the `State`; its name is the name under which its result is kept, so that
later steps read ``s.scores`` after the step ``scores``.  The last step is always ``result``.  A fault
replaces one step or several by the mistaken computation, and the same machinery then predicts what
a learner who made that mistake would be seen to produce: values, exceptions, changed arguments,
gradients, dtypes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from grader.submission.client import Callback, Device
from grader.submission.observation import ErrorInfo, Observation, Outcome
from grader.text import Text
from grader.worker import callables
from grader.worker.wire import dtype_of

__all__ = [
    "ANYTHING",
    "Carried",
    "CarriedError",
    "Course",
    "Model",
    "Prediction",
    "Probe",
    "State",
    "Step",
    "cotangents",
    "float_tensors",
    "follow",
    "predict",
    "went_alike",
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
        self.carried = model.carried
        self.mixed_dtype: torch.dtype | None = None  # that of a carried part's result, where it is another
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
            self.calls.append(0)
            return self._callable(value, len(self.calls) - 1)
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

    def _callable(self, spec: Callback, number: int) -> Callable[..., Tensor]:
        settings = {k: v.double() if isinstance(v, Tensor) else v for k, v in spec.settings.items()}

        def run(x: Tensor) -> Tensor:
            self.calls[number] += 1
            return callables.CALLABLES[spec.name](x, **settings)

        return run

    def touch(self, name: str) -> None:
        """Notes that the argument called `name` is changed in place."""
        self.changed.append(name)

    @classmethod
    def at_snapshot(cls, snapshot: Mapping[str, Any]) -> State:
        """A state that goes on from a snapshot, and shares nothing with it that a step changes."""
        state = cls.__new__(cls)
        vars(state).update(_snapshot_of(snapshot))
        called = [name for name, value in state.raw.items() if isinstance(value, Callback)]
        for number, name in enumerate(called):
            setattr(state, name, state._callable(state.raw[name], number))
        return state


def _snapshot_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a state as they are now: tensors are shared, for no step changes one in place."""
    return {k: type(v)(v) if type(v) in (list, dict) else v for k, v in values.items()}


@dataclass(frozen=True)
class Course:
    """How the right computation went on one probe: the attributes before each step.

    A faulty run is the right one up to the first step that is replaced, so it can start there; and
    where the replaced steps come to the same values, it is the right one to the end.
    """

    right: Prediction
    before: Mapping[str, Mapping[str, Any]]


class Carried(Protocol):
    """An earlier part as the learner wrote it, called through the wall on behalf of a step.

    args, kwargs: of the call; init: constructor keywords of a class, with `state` its parameters; tap:
    gives what the part hands to its callable in place of what it returns.  What the part raises, and
    what it changes in place, shows on the state as if the step had done it.
    """

    def __call__(
        self,
        s: State,
        *args: Any,
        init: Mapping[str, Any] | None = None,
        state: Mapping[str, Tensor] | None = None,
        tap: bool = False,
        **kwargs: Any,
    ) -> Any: ...


class CarriedError(RuntimeError):
    """What a carried part raised; `seen` as it was observed."""

    def __init__(self, seen: ErrorInfo) -> None:
        super().__init__(seen.message)
        self.seen = seen


class Model:
    """The right computation of one function or class, as an ordered table of steps."""

    def __init__(self, target: str, inputs: tuple[str, ...], **settings: Any) -> None:
        self.target = target
        self.inputs = inputs
        self.settings = settings
        self.steps: dict[str, Step] = {}
        self.carried: Mapping[str, Carried] = {}

    def on(self, carried: Mapping[str, Carried], **steps: Step) -> Model:
        """The same model on top of the learner's own parts, with some steps done by them."""
        model = copy.copy(self)
        model.steps = {**self.steps, **steps}
        model.carried = carried
        return model

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

    def go(
        self,
        state: State,
        instead: Mapping[str, Step] | None,
        before: dict[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Runs the steps on a state; `state.at` is the step under way; `before` takes snapshots."""
        for name, step in self.steps.items():
            state.at = name
            if before is not None:
                before[name] = _snapshot_of(vars(state))
            chosen = instead.get(name, step) if instead else step
            setattr(state, name, chosen(state))

    def go_on(self, state: State, instead: Mapping[str, Step], course: Course) -> bool:
        """Runs the steps from `state.at` on; False when it ended early, as the right run goes on alike."""
        names = list(self.steps)
        first = names.index(state.at)
        last = max(names.index(name) for name in instead)
        for place in range(first, len(names)):
            name = names[place]
            state.at = name
            if place == last + 1 and not state.probe.grad and _alike(vars(state), course.before.get(name)):
                return False
            setattr(state, name, instead.get(name, self.steps[name])(state))
        return True


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


def predict(
    model: Model, probe: Probe, instead: Mapping[str, Step] | None = None, course: Course | None = None
) -> Prediction:
    """Runs the model on the probe, as if it were a submission with these replacements.

    `course`: of the right run on the same probe, which saves most of the work.
    """
    if course is None or not course.before or not instead:
        return _predict(probe, lambda state: model.go(state, instead), lambda: State(probe, model))
    start = next(name for name in model.steps if name in instead)
    if start not in course.before:  # the right run raises before it comes there
        return course.right
    ended = False

    def run(state: State) -> None:
        nonlocal ended
        ended = not model.go_on(state, instead, course)

    def resumed() -> State:
        state = State.at_snapshot(course.before[start])
        state.at = start
        return state

    found = _predict(probe, run, resumed, lambda: ended)
    return course.right if ended else found


def follow(model: Model, probe: Probe) -> Course:
    """The right run, recorded so that faulty ones can start from it."""
    before: dict[str, Mapping[str, Any]] = {}
    recorded = before if probe.args is not None else None
    right = _predict(probe, lambda state: model.go(state, None, recorded), lambda: State(probe, model))
    return Course(right, before)


def _predict(
    probe: Probe,
    run: Callable[[State], None],
    start: Callable[[], State],
    ended: Callable[[], bool] = lambda: False,
) -> Prediction:
    state: State | None = None
    try:
        with torch.set_grad_enabled(probe.grad):
            state = start()
            run(state)
            if ended():
                return Prediction(Observation(Outcome.OK), state, torch.float64)
            value = _cast(state.result, state.out_dtype)
    except CarriedError as error:
        seen = Observation(Outcome.RAISED, error=error.seen)
        return Prediction(seen, state, torch.float64, raised_in=state.at if state else None)
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


def went_alike(shown: Prediction, right: Prediction) -> bool:
    """Whether all steps came to the same values, those that do not show in the end included."""
    if shown.state is None or right.state is None:
        return shown.state is right.state
    return _alike(vars(shown.state), vars(right.state))


def _alike(values: Mapping[str, Any], right: Mapping[str, Any] | None) -> bool:
    """Whether a faulty run has come to the same values as the right one."""
    if right is None or len(values) != len(right):
        return False
    return all(name in right and _same(value, right[name], name) for name, value in values.items())


def _same(value: Any, other: Any, name: str) -> bool:
    if value is other or name == "at":
        return True
    if type(value) is not type(other):
        return False
    if isinstance(value, Tensor):
        return value.dtype is other.dtype and value.shape == other.shape and torch.equal(value, other)
    if isinstance(value, (list, tuple)):
        return len(value) == len(other) and all(_same(a, b, "") for a, b in zip(value, other))
    if isinstance(value, dict):
        return value.keys() == other.keys() and all(_same(v, other[k], "") for k, v in value.items())
    if isinstance(value, (int, float, str)):
        return bool(value == other)
    return getattr(value, "__qualname__", "") == "State._callable.<locals>.run"  # bound to another state


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
        found = torch.autograd.grad(
            total,
            list(state.leaves.values()),
            allow_unused=True,
            retain_graph=True,  # shared with others
        )
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
