"""What a suite holds in its hands: runs probes on the submission and compares with the model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.diagnosis.matching import error_kind, named
from grader.diagnosis.model import Model, Prediction, Probe, cotangents, predict
from grader.exercises.room import Room
from grader.marking.compare import Difference, compare, tolerance
from grader.marking.failing import CheckFailed, first_line, raised, stopped, unpacked, with_title
from grader.marking.lessons import as_outputs
from grader.marking.memo import Memo
from grader.submission.asking import Asked, ask_call, ask_construct
from grader.submission.client import Client
from grader.submission.fixed import Fixed
from grader.submission.observation import ErrorInfo, Observation, Opaque, Outcome
from grader.text import Text
from grader.worker.poison import POISON

if TYPE_CHECKING:
    from grader.marking.second import Half

__all__ = ["Lab", "Made"]

NOTHING = 1e-12  # of the largest gradient: what is left of a sum of terms that cancel


class Made:
    """An object of the learner's that lives in the worker."""

    def __init__(self, lab: Lab, handle: int, value: Mapping[str, Any]) -> None:
        self.lab = lab
        self.handle = handle
        self.state: Mapping[str, Mapping[str, Any]] = value.get("state", {})
        self.shared: list[list[str]] = value.get("shared", [])
        self.plain: list[str] = value.get("plain", [])
        self.values: Mapping[str, Tensor] = value.get("values", {})

    def __call__(self, *args: Any, **options: Any) -> Observation:
        """Calls the object; `options` as for `Client.forward` (train, cotangents, seed, kwargs)."""
        kwargs = options.pop("kwargs", {})
        return self.lab.client.forward(self.handle, args, kwargs, **options)


class Lab:
    """Runs probes of one exercise on one submission."""

    def __init__(
        self,
        room: Room,
        client: Client,
        called: Collection[str] = (),
        memo: Memo | None = None,
    ) -> None:
        """`memo`: of this room, where the room is the exercise's own."""
        self.room = room
        self.memo = memo
        self.client = client
        self.outputs = room.outputs
        self.called = called
        self.half: Half | None = None
        self.shrinks = False  # whether a property that fails is made to fail on the smallest example
        self.target: str | None = None
        self._glimpsed: dict[tuple[int, bool], tuple[Probe, Observation]] = {}

    @property
    def carried(self) -> bool:
        """Whether the model stands on earlier parts of the learner's own."""
        return any(model.carried for model in self.room.models.values())

    # -- running --------------------------------------------------------------------------------

    def observe(
        self,
        probe: Probe,
        *,
        trace: bool = False,
        poison: int | None = None,
        seed: int = 0,
        alone: bool = False,
    ) -> Observation:
        """Runs a probe on the submission and returns what was seen, whatever it was.

        `poison`: what `torch.empty` finds in memory is the complement of this byte; `seed`: of the chance
        in training mode, and (when not 0) in eval mode, where there should be none; `alone`: under
        `torch.no_grad()`, and what a later call does to the result is looked at.
        """
        self.target = probe.target
        seen = self.client.ask(lambda: self._asked(probe, trace, poison, seed, alone))
        if probe.init is None or not seen.ok:
            return as_outputs(seen, probe)
        if probe.args is None:
            return _as_state(seen, probe)
        if isinstance(seen.value, dict) and seen.value.get("module") is False:
            return Observation(Outcome.OK, value=Opaque("no nn.Module"))
        return seen

    def observed(self) -> dict[str, Observation]:
        """What is seen on the probes of the room, by their names, until the time is used up."""
        if self.half is not None:
            return self.half.observed(self, self.room.probes)
        return {p.name: self.observe(p) for p in self.room.probes if not self.client.exhausted}

    def glimpse(self, probe: Probe, *, gradients: bool = True) -> Observation:
        """What was seen of this very probe, now or in an earlier check: it is run once.

        Without `gradients`, one that raises is run again without them: they may be the reason.
        """
        seen = self._once(probe, probe.grad)
        if probe.grad and not gradients and seen.outcome is Outcome.RAISED:
            return self._once(probe, grad=False)
        return seen

    def _once(self, probe: Probe, grad: bool) -> Observation:
        self.target = probe.target
        key = id(probe), grad  # the probe is kept, and with it its id
        if key in self._glimpsed:
            return self._glimpsed[key][1]
        seen = self.observe(probe if grad == probe.grad else probe.but(grad=grad))
        if seen.outcome in (Outcome.OK, Outcome.RAISED):  # what stopped the worker is one check's matter
            self._glimpsed[key] = probe, seen
        return seen

    def _asked(self, probe: Probe, *options: Any) -> Asked:
        if self.memo is None:
            return self._ask(probe, *options)
        return self.memo.asked(probe, options, lambda: self._ask(probe, *options))

    def _ask(self, probe: Probe, trace: bool, poison: int | None, seed: int, alone: bool) -> Asked:
        """What the worker is asked for a probe."""
        module = self.client.module
        options: dict[str, Any] = {} if poison is None else {"poison": poison}
        if trace:
            options["trace"] = True
        if alone:
            options["alone"] = True
        if probe.grad and (probe.init is None or probe.args is not None):
            options["cotangents"] = cotangents(self.right(probe).seen.value)
        if probe.init is None:
            if seed:
                options["seed"] = seed
            return ask_call(module, probe.target, probe.args or (), probe.kwargs, options)
        follow: dict[str, Any] | None = None
        if probe.args is not None:
            if probe.train or seed:
                options["seed"] = seed
            follow = {"args": probe.args, "kwargs": dict(probe.kwargs), "train": probe.train, **options}
        making: dict[str, Any] = {
            "state": probe.state if isinstance(probe.state, Fixed) else _dict(probe.state),
            "train": probe.train,
            "dtype": probe.dtype,
            "values": probe.values,
            "seed": 0,
            **({} if follow is None else {"then": follow, "poison": POISON}),
            **({} if poison is None else {"poison": poison}),
        }
        return ask_construct(module, probe.target, (), probe.init, making)

    def right(self, probe: Probe) -> Prediction:
        """What a right submission gives."""
        model = self.model(probe.target)
        return predict(model, probe) if self.memo is None else self.memo.right(model, probe)

    def model(self, target: str) -> Model:
        return self.room.models[target]

    def make(self, target: str, *, seed: int = 0, **options: Any) -> Made:
        """Constructs an object; the check fails when that raises."""
        self.target = target
        init = options.pop("init", {})
        seen = self.client.construct(target, (), init, seed=seed, **options)
        self.must_work(seen, Text(f"{target}({_words(init)})", f"{target}({_words(init)})"))
        if not isinstance(seen.value, dict) or seen.value.get("module") is not True:
            raise CheckFailed(
                Text(f"{target} is not an nn.Module", f"{target} 不是 nn.Module"), fault="missing-name"
            )
        return Made(self, int(seen.value["handle"]), seen.value)

    # -- judging --------------------------------------------------------------------------------

    def agrees(
        self, probe: Probe, *, parts: Sequence[str] | None = None, gradients: bool = True
    ) -> Observation:
        """The check fails unless the submission does on this probe what the model does.

        `parts` limits the comparison to some of the named outputs; without `gradients` those of a probe
        that has them are left to another check.
        """
        right = self.right(probe)
        seen = self.glimpse(probe, gradients=gradients)
        if right.seen.outcome is Outcome.RAISED:
            if seen.outcome is Outcome.OK:
                raise CheckFailed(
                    Text(f"{probe.title.en}: no error is raised", f"{probe.title.zh}：没有报错"), seen=seen
                )
            self.not_stopped(seen, probe.title)
            if not _same_error(right.seen.error, seen.error):
                self.must_work(seen, probe.title)
            return seen
        self.must_work(seen, probe.title)
        model = self.model(probe.target)
        seen = named(seen, model)
        names = self.outputs.get(probe.target, ("result",))
        values = self.unpacked(seen, probe.target, probe.title)
        wanted = right.seen.value if isinstance(right.seen.value, tuple) else (right.seen.value,)
        for name, found, want in zip(names, values, wanted):
            if parts is None or name in parts:
                if probe.where is not None and name == names[0] and _fits(found, want):
                    found, want = (torch.where(probe.where, t, torch.zeros_like(t)) for t in (found, want))
                try:
                    compare(name, found, want, condition=probe.condition, dtype=None)
                except Difference as difference:
                    fault = "half-precision-overflow" if _overflowed(found, want) else None
                    text = with_title(probe.title, difference.text)
                    raise CheckFailed(text, fault=fault, seen=seen) from None
        if parts is None and seen.changed:
            which = ", ".join(seen.changed)
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: the call changed its argument {which} in place",
                    f"{probe.title.zh}：调用就地修改了参数 {which}",
                ),
                seen=seen,
            )
        if probe.grad and gradients:
            self._gradients_agree(seen, right, probe)
        return seen

    def carries(self, probe: Probe, seen: Observation) -> bool:
        """Whether what a call raised, or changed in place, comes from the learner's own earlier part."""
        if not self.carried:
            return False
        right = self.right(probe).seen
        if right.outcome is Outcome.RAISED:
            return seen.outcome is Outcome.RAISED and _same_error(right.error, seen.error)
        return seen.ok and set(named(seen, self.model(probe.target)).changed) == set(right.changed)

    def unpacked(self, seen: Observation, target: str, title: Text) -> Sequence[Any]:
        """The named outputs of a call, after checking that there are as many as there should be."""
        return unpacked(seen, self.outputs.get(target, ("result",)), target, title)

    def _gradients_agree(self, seen: Observation, right: Prediction, probe: Probe) -> None:
        if seen.gradient == "mismatch":
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: no gradient could be taken, the output has the wrong shape",
                    f"{probe.title.zh}：输出的形状不对，无法求梯度",
                ),
                seen=seen,
            )
        if seen.gradient == "raised":
            error = seen.gradient_error
            words = first_line(error.message) if error else ""
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: the backward pass raised {error.type if error else ''}: {words}",
                    f"{probe.title.zh}：反向传播报错 {error.type if error else ''}：{words}",
                ),
                seen=seen,
            )
        largest = max([1.0, *(float(g.abs().max()) for g in right.seen.grads.values() if g is not None)])
        for key, wanted in right.seen.grads.items():
            found = seen.grads.get(key)
            label = key.removeprefix("param:")
            if wanted is None or not bool(wanted.abs().max() > 0):
                continue
            if found is None:
                raise CheckFailed(
                    Text(
                        f"{probe.title.en}: no gradient reaches {label}",
                        f"{probe.title.zh}：梯度没有传到 {label}",
                    ),
                    seen=seen,
                )
            try:
                narrow = wanted.to(found.dtype)
                # one that sums up to nothing is as far off as the others, of whose terms it is made
                nothing = float(wanted.abs().max()) < NOTHING * largest
                times = 8 * largest if nothing else 8
                compare(
                    f"grad({label})", found, narrow, condition=probe.condition, dtype=None, amplified=times
                )
            except Difference as difference:
                raise CheckFailed(with_title(probe.title, difference.text), seen=seen) from None

    def must_work(self, seen: Observation, title: Text) -> None:
        """The check fails, with the exception and the learner's line, unless the call succeeded."""
        self.not_stopped(seen, title)
        if not seen.ok:
            raise raised(seen, title, self.room.id, self.target)

    def not_stopped(self, seen: Observation, title: Text) -> None:
        """The check fails when the worker did not live to answer."""
        if seen.outcome in (Outcome.OK, Outcome.RAISED):
            return
        raise stopped(seen, title)

    def fail(self, en: str, zh: str, *, fault: str | None = None, line: int | None = None) -> None:
        """Fails the check with a sentence in both languages."""
        raise CheckFailed(Text(en, zh), fault=fault, line=line)

    def right_without(self, probe: Probe, **settings: Any) -> bool:
        """Whether the submission is right on the same probe with other constructor settings."""
        try:
            self.agrees(probe.but(init={**(probe.init or {}), **settings}))
        except CheckFailed:
            return False
        return True

    def behaves(self, probe: Probe, *, alone: bool = True) -> None:
        """The check fails when two identical calls differ, or a call changes a global setting, its
        arguments where gradients are not recorded, or what was returned before.

        Not `alone`: what cannot do its work without gradients.
        """
        plain = probe.but(grad=False) if probe.grad else probe
        once_more = self.observe(plain, poison=0xFF, seed=12, alone=alone)
        seen = [self.glimpse(probe, gradients=False), once_more]
        if not seen[0].ok and self.carries(probe, seen[0]):
            return
        for one in seen:
            self.must_work(one, probe.title)
        self._leaves_alone(probe, *seen)
        first, second = (_all_tensors(one.value) for one in seen)
        same = len(first) == len(second) and all(_identical(a, b) for a, b in zip(first, second))
        if not same:
            if alone:
                self._same_when_recording(plain, seen)
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: two identical calls gave different results; is there chance in "
                    "it, or memory that was never filled?",
                    f"{probe.title.zh}：两次相同的调用结果不同；是否用到了随机数，或未初始化的内存？",
                ),
                fault="uninitialised-memory" if self.mentions("empty") else "nondeterministic",
                seen=seen[1],
            )
        if self.client.globals_changed:
            which = ", ".join(sorted(self.client.globals_changed))
            raise CheckFailed(
                Text(
                    f"a call changed a global setting: {which}",
                    f"调用改变了全局设置：{which}",
                ),
                fault="global-state-changed",
            )

    def _leaves_alone(self, probe: Probe, first: Observation, once_more: Observation) -> None:
        """The check fails when the second call, where it was one alone, changes what it should not."""
        if once_more.changed and not first.changed:
            which = ", ".join(named(once_more, self.model(probe.target)).changed)
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: under torch.no_grad() the call changed its argument {which} in place",
                    f"{probe.title.zh}：在 torch.no_grad() 下，调用就地修改了参数 {which}",
                ),
                fault="modified-without-gradients",
                seen=once_more,
            )
        if once_more.overwritten:
            raise CheckFailed(
                Text(
                    f"{probe.title.en}: the next call changes the result that this one returned",
                    f"{probe.title.zh}：下一次调用改变了这一次返回的结果",
                ),
                fault="result-overwritten",
                seen=once_more,
            )

    def _same_when_recording(self, probe: Probe, seen: Sequence[Observation]) -> None:
        """The check fails, and says so, where two calls differ only because gradients are not recorded."""
        third = self.observe(probe, poison=0xFF, seed=12)
        first, other, again = (_all_tensors(one.value) for one in (*seen, third))
        if len(first) != len(again) or not all(_identical(a, b) for a, b in zip(first, again)):
            return
        if len(first) == len(other) and all(self.close(b, a, probe.condition) for a, b in zip(first, other)):
            return
        raise CheckFailed(
            Text(
                f"{probe.title.en}: under torch.no_grad() the result is not the one it is otherwise",
                f"{probe.title.zh}：在 torch.no_grad() 下，结果与平时不同",
            ),
            fault="differs-without-gradients",
            seen=seen[1],
        )

    def mentions(self, word: str) -> bool:
        """Whether the learner's file of this exercise calls something whose name has this word."""
        return any(word in name for name in self.called)

    def near(self, name: str, found: Any, wanted: Tensor, *, condition: float = 4.0, title: Text) -> None:
        """The check fails unless a tensor is what it should be."""
        try:
            compare(name, found, wanted, condition=condition, dtype=None)
        except Difference as difference:
            raise CheckFailed(with_title(title, difference.text)) from None

    def close(self, found: Tensor, wanted: Tensor, condition: float = 4.0) -> bool:
        """Whether two tensors agree to the accuracy of the first one's dtype."""
        if found.shape != wanted.shape or not found.is_floating_point():
            return False
        scale = max(1.0, float(wanted.abs().max())) if wanted.numel() else 1.0
        allowed = tolerance(found.dtype, condition) * scale
        return bool(torch.all((found.double() - wanted.double()).abs() <= allowed))


def _dict(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if state is None else dict(state)


def _all_tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in _all_tensors(item)] if isinstance(value, (list, tuple)) else []


def _identical(a: Tensor, b: Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.is_floating_point():
        a, b = a.nan_to_num(), b.nan_to_num()
    return torch.equal(a, b)


def _overflowed(found: Any, wanted: Tensor) -> bool:
    """Infinite or NaN in half precision, where the right result is finite."""
    half = isinstance(found, Tensor) and found.dtype in (torch.float16, torch.bfloat16)
    return half and found.shape == wanted.shape and bool(wanted.isfinite().all() & ~found.isfinite().all())


def _same_error(wanted: ErrorInfo | None, seen: ErrorInfo | None) -> bool:
    """The same kind of exception; where a carried part raises it, it has to come from there."""
    if wanted is not None and wanted.where is not None:
        here = seen.where.file if seen is not None and seen.where is not None else None
        if here != wanted.where.file:
            return False
    return error_kind(wanted) == error_kind(seen)


def _fits(found: Any, wanted: Tensor) -> bool:
    return isinstance(found, Tensor) and found.shape == wanted.shape


def _as_state(made: Observation, probe: Probe) -> Observation:
    """What a construction probe observes: each entry's shape and kind, or its values."""
    value = made.value
    if not isinstance(value, dict) or value.get("module") is not True:
        return replace(made, value=Opaque("no nn.Module"))
    if probe.values:
        return replace(made, value=dict(sorted(value.get("values", {}).items())))
    described = {
        name: f"{entry.get('kind')} {entry.get('shape')}" for name, entry in sorted(value["state"].items())
    }
    return replace(made, value=described)


def _words(init: Mapping[str, Any]) -> str:
    return ", ".join(f"{k}={v}" for k, v in init.items())
