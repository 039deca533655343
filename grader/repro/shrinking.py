"""Makes a case smaller and plainer as long as it still shows the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Model
from grader.exercises.small import Axes, Case, Small
from grader.repro.findings import Finding
from grader.repro.parts import Place, cut, mapped, places, unwrapped
from grader.submission.client import Callback

__all__ = ["shrunk"]

Judge = Callable[[Case], "Finding | None"]
MAX_TRIALS = 1500
PLAIN = (0.0, 1.0, 2.0, -1.0, 3.0, -2.0, 4.0, 5.0, -3.0)  # the numbers that are easy to read, best first


def shrunk(finding: Finding, model: Model, small: Small, judge: Judge, trials: int = MAX_TRIALS) -> Finding:
    """The smallest finding that greedy steps lead to.

    judge: the finding on a case when it still shows the same thing, else None.  The number of calls is
    bounded by a count, so that the same submission always gives the same.
    """
    work = _Work(finding, judge, trials)
    axes = small.axes.get(model.target, Axes({}))
    while work.left > 0:
        before = work.best
        work.descend(lambda case: map(small.settled, _fewer_options(case)))
        work.descend(lambda case: map(small.settled, cut(case, model, axes)))
        work.descend(lambda case: unwrapped(case, model, axes))
        work.descend(small.moves)
        work.descend(lambda case: map(small.settled, _plain_tensors(case)))
        work.numbers(small)
        if work.best is before:
            break
    return work.best


class _Work:
    def __init__(self, finding: Finding, judge: Judge, trials: int) -> None:
        self.best = finding
        self.judge = judge
        self.left = trials

    def accepts(self, case: Case) -> bool:
        """Takes the case over when it still shows the difference."""
        if self.left <= 0 or _weight(case) >= _weight(self.best.case):  # so that it comes to an end
            return False
        self.left -= 1
        found = self.judge(case)
        if found is None or not found.like(self.best):
            return False
        self.best = found
        return True

    def descend(self, moves: Callable[[Case], Any]) -> None:
        """Takes the first move that works, and again from there, until none does."""
        while any(self.accepts(case) for case in moves(self.best.case)):
            pass

    def numbers(self, small: Small) -> None:
        """Makes single numbers plainer, one after the other."""
        for place, tensor in list(places(self.best.case)):
            for index in range(tensor.numel()):
                now = dict(places(self.best.case)).get(place)
                if now is None or index >= now.numel():
                    break
                for value in _plainer(now, index, _is_gain(place)):
                    option = _with(now, index, value)
                    if self.accepts(small.settled(_put(self.best.case, place, option))):
                        break


def _fewer_options(case: Case) -> Iterator[Case]:
    """Without an argument or a setting, in the mode and dtype that a reader expects."""
    probe = case.probe
    for name in probe.kwargs:
        yield case.but(kwargs={n: v for n, v in probe.kwargs.items() if n != name})
    if probe.train:
        yield case.but(train=False)
    if case.positional:
        yield replace(case, positional=False)
    for name in probe.init or {}:
        if name in OPTIONAL:
            yield case.but(init={n: v for n, v in (probe.init or {}).items() if n != name})
    if probe.dtype is not None or _dtypes(case) & {torch.float64, torch.float16, torch.bfloat16}:
        yield mapped(case, lambda _, t: t.float() if t.is_floating_point() else t).but(dtype=None)
    mask = probe.kwargs.get("mask")
    if isinstance(mask, Tensor) and mask.dtype is not torch.bool:
        yield case.but(kwargs={**probe.kwargs, "mask": mask != 0})
    if any(not t.is_contiguous() for _, t in places(case)):
        yield mapped(case, lambda _, t: t.contiguous())
    if case.seed is not None and not bool((case.seed == 1).all()):
        yield replace(case, seed=torch.ones_like(case.seed))
    for number, value in enumerate(probe.args or ()):
        if isinstance(value, Callback) and value.name == "affine":
            plain = Callback("scale", {"factor": 2.0}, value.as_module)
            yield case.but(args=tuple(plain if i == number else a for i, a in enumerate(probe.args or ())))


OPTIONAL = ("dropout", "norm_first", "eps", "bias", "pad_id")


def _dtypes(case: Case) -> set[torch.dtype]:
    return {t.dtype for _, t in places(case)}


def _plain_tensors(case: Case) -> Iterator[Case]:
    """One tensor all zero, all one, or the identity; whole numbers for broken ones."""
    for place, tensor in places(case):
        if tensor.dtype is torch.bool:
            if not bool(tensor.all()):
                yield _put(case, place, torch.ones_like(tensor))
            continue
        if not tensor.is_floating_point():
            continue
        options = [torch.zeros_like(tensor), torch.ones_like(tensor)]
        if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]:
            options.append(torch.eye(tensor.shape[0], dtype=tensor.dtype))
        options.sort(key=lambda option: _cost(option, place))
        for option in (*options, tensor.round(), tensor.mul(10).round().div(10)):
            if _cost(option, place) < _cost(tensor, place):
                yield _put(case, place, option)


def _plainer(tensor: Tensor, index: int, gain: bool) -> Iterator[float]:
    """Values for one entry that are easier to read than the one it has."""
    value = tensor.reshape(-1)[index].item()
    if tensor.dtype is torch.bool:
        if not value:
            yield True
        return
    options = [v for v in PLAIN if tensor.is_floating_point() or v >= 0]
    options += [float(round(value)), round(value, 1)]
    for option in sorted(options, key=lambda v: _price(v, gain)):
        if _price(option, gain) < _price(value, gain):
            yield option


def _with(tensor: Tensor, index: int, value: float) -> Tensor:
    """The tensor with one entry changed, lying in memory as before."""
    made = tensor.clone()
    place = []
    for length in reversed(tensor.shape):
        place.append(index % length)
        index //= length
    made[tuple(reversed(place))] = value
    return made


def _put(case: Case, place: Place, tensor: Tensor) -> Case:
    """The case with another tensor in one place."""
    old = dict(places(case))[place]
    return mapped(case, lambda _, t: tensor if t is old else t)


def _is_gain(place: Place) -> bool:
    """Whether a tensor multiplies what it meets: one is what leaves everything as it is."""
    kind, name = place
    return kind == "state" and name.endswith("weight") and ("norm" in name or name == "weight")


def _weight(case: Case) -> float:
    """How much a reader has to take in: numbers count most, then options, then what the numbers are."""
    probe = case.probe
    held = list(places(case))
    mask = probe.kwargs.get("mask")
    options = [
        *probe.kwargs,
        *(probe.init or {}),
        *(["train"] if probe.train else []),
        *(["positional"] if case.positional else []),
        *(["mask"] if isinstance(mask, Tensor) and mask.dtype is not torch.bool else []),
        *(["seed"] if case.seed is not None and not bool((case.seed == 1).all()) else []),
        *{str(t.dtype) for _, t in held if t.dtype in (torch.float64, torch.float16, torch.bfloat16)},
        *("strides" for _, t in held if not t.is_contiguous()),
    ]
    numbers = sum(t.numel() for _, t in held) + sum(
        min(abs(n), 20) for n in (*(probe.args or ()), *(probe.init or {}).values()) if type(n) is int
    )
    axes = sum(t.dim() for _, t in held)
    return 1e6 * numbers + 1e4 * len(options) + 1e3 * axes + sum(_cost(t, p) for p, t in held)


def _price(value: float, gain: bool = False) -> float:
    """How much there is to read in a number."""
    if value != value or value in (float("inf"), float("-inf")):
        return 50.0
    if gain and value in (0.0, 1.0):
        return 1.5 - 1.5 * value
    if value in PLAIN:
        return float(PLAIN.index(value))
    if value == int(value):
        return 10.0 + min(abs(value) / 100, 10.0)
    return 30.0 + len(repr(round(value, 6)))


def _cost(tensor: Tensor, place: Place) -> float:
    """The same for a tensor; a square weight that hands its input on is the plainest of all."""
    linear = place[0] == "state" and "embedding" not in place[1] and tensor.dim() == 2
    if (
        linear
        and tensor.shape[0] == tensor.shape[1]
        and torch.equal(tensor, torch.eye(tensor.shape[0], dtype=tensor.dtype))
    ):
        return -1.0
    return sum(_price(v, _is_gain(place)) for v in tensor.reshape(-1).tolist())
