"""What every catalogued fault of a model shows on every probe, worked out once and shared by the proofs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import match
from grader.diagnosis.model import Course, Model, Prediction, Probe, follow, predict
from grader.diagnosis.search import Searcher, merged
from grader.exercises.room import Room
from grader.submission.observation import Observation

__all__ = ["Table", "observed"]


def observed(prediction: Prediction) -> Observation:
    """What a submission that is as predicted would be seen to give, with the accuracy it would have.

    The model computes in float64; where it says that a mistake costs accuracy, the values are rounded.
    """
    seen = prediction.seen
    if not seen.ok:
        return seen
    grads = {k: g if g is None else _rounded(g, prediction.precision) for k, g in seen.grads.items()}
    return replace(seen, value=_rounded(seen.value, prediction.precision), grads=grads)


def _rounded(value: Any, precision: torch.dtype) -> Any:
    if isinstance(value, Tensor):
        if value.is_floating_point() and torch.finfo(value.dtype).eps < torch.finfo(precision).eps:
            return value.to(precision).to(value.dtype)
        return value
    if isinstance(value, (list, tuple)):
        return tuple(_rounded(item, precision) for item in value)
    if isinstance(value, dict):
        return {key: _rounded(item, precision) for key, item in value.items()}
    return value


class Table:
    """The faults of one model, each by itself, on the model's probes."""

    def __init__(self, room: Room, model: Model) -> None:
        self.room = room
        self.model = model
        self.probes = tuple(p for p in room.probes if p.target == model.target)
        self.faults = room.catalogue.of(model)
        self._courses: dict[tuple[str, bool], Course] = {}
        self._alone: dict[tuple[int, str], Prediction] = {}
        self._seen: dict[tuple[int, str], Observation] = {}
        self._acts: dict[tuple[int, str], bool] = {}

    def of_tier(self, *tiers: str) -> list[Probe]:
        """The probes of these tiers."""
        return [p for p in self.probes if p.tier in tiers]

    def course(self, probe: Probe) -> Course:
        """How the right computation goes."""
        key = (probe.name, probe.grad)
        if key not in self._courses:
            self._courses[key] = follow(self.model, probe)
        return self._courses[key]

    def predict(self, faults: Iterable[Fault], probe: Probe) -> Prediction:
        """What a set of faults is predicted to give."""
        return predict(self.model, probe, merged(faults), self.course(probe))

    def alone(self, fault: Fault, probe: Probe) -> Prediction:
        """What a fault of the table is predicted to give by itself."""
        key = (id(fault), probe.name)
        if key not in self._alone:
            self._alone[key] = self.predict((fault,), probe)
        return self._alone[key]

    def seen(self, fault: Fault, probe: Probe) -> Observation:
        """What a submission with this fault would be seen to give."""
        key = (id(fault), probe.name)
        if key not in self._seen:
            self._seen[key] = observed(self.alone(fault, probe))
        return self._seen[key]

    def acts(self, fault: Fault, probe: Probe) -> bool:
        """Whether the fault changes what the probe shows."""
        key = (id(fault), probe.name)
        if key not in self._acts:
            right = self.course(probe).right
            same = self.alone(fault, probe) is right
            self._acts[key] = not same and match(right, self.seen(fault, probe), probe) is None
        return self._acts[key]

    def explains(self, fault: Fault, other: Fault, probe: Probe) -> bool:
        """Whether what `other` shows on the probe is what `fault` is predicted to show."""
        return match(self.alone(fault, probe), self.seen(other, probe), probe) is not None

    def searcher(
        self,
        seen: Sequence[tuple[Probe, Observation]],
        ties: Sequence[tuple[Probe, Observation]] = (),
    ) -> Searcher:
        """A search that knows this table already."""
        return _Searcher(self, seen, ties)


class _Searcher(Searcher):
    """The search itself: what is the same for every submission comes from the table, the rest is its own."""

    def __init__(
        self,
        table: Table,
        seen: Sequence[tuple[Probe, Observation]],
        ties: Sequence[tuple[Probe, Observation]],
    ) -> None:
        self.table = table
        self.known = {id(f) for f in table.faults}
        super().__init__(table.model, table.room.catalogue, seen, ties)

    def _course(self, probe: Probe) -> Course:
        return self.table.course(probe)

    def _alone(self, fault: Fault, probe: Probe) -> Prediction:
        if id(fault) in self.known:
            return self.table.alone(fault, probe)
        return super()._alone(fault, probe)
