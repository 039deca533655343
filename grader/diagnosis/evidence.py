"""What was seen of one function or class, beside what the model and its faults predict.

Each question is answered once: what does this fault change here, could it have given what was seen?
The compiled catalogue answers most of them without running the model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from weakref import WeakKeyDictionary

import torch

from grader.diagnosis.effects import Effect, effect
from grader.diagnosis.faults import Catalogue, Fault
from grader.diagnosis.matching import match, named
from grader.diagnosis.model import Course, Model, Prediction, Probe, Step, follow, predict
from grader.diagnosis.prints import Print, print_of
from grader.submission.observation import Observation

__all__ = ["Evidence", "merged", "right_run"]

Seen = Sequence[tuple[Probe, Observation]]
MOST_BEGUN = 2000  # runs of single faults, most of them but noted
MOST_RUNS = 400  # the probes of all rooms are some 200, and some are run without their gradients too


class Evidence:
    """The observations of one model's probes.

    seen: those that must be explained; ties: those that choose between explanations; deviating: those
    of `seen` that a right submission would not give; order: `seen`, the most telling and cheapest first.
    """

    def __init__(self, model: Model, catalogue: Catalogue, seen: Seen, ties: Seen = ()) -> None:
        self.model = model
        self.catalogue = catalogue
        self.seen = [(probe, named(observation, model)) for probe, observation in seen]
        self.ties = [(probe, named(observation, model)) for probe, observation in ties]
        self.pool = catalogue.of(model)
        self.predictions = 0
        self._rows = {id(fault): row for row, fault in enumerate(self.pool)}
        self._compiled = catalogue.compiled(model)
        self._courses: dict[tuple[str, bool], Course] = {}
        self._places = {name: place for place, name in enumerate(model.steps)}
        self._reaches = {id(fault): self._reach(fault) for fault in self.pool}
        self._begun: OrderedDict[tuple[str, bool, int], Course | None] = OrderedDict()
        self._effects: dict[tuple[str, int], Effect] = {}
        self._cache: dict[tuple[str, frozenset[int]], float | None] = {}
        self._single: dict[tuple[str, int], Prediction] = {}
        self._prints: dict[str, Print] = {}
        self._kept: list[Fault] = []  # keeps the ids that the tables above are keyed by from reuse
        self.deviating = [(p, o) for p, o in self.seen if match(self.right(p), o, p) is None]
        self.deviating.sort(key=lambda pair: pair[0].grad)  # gradients cost most, so they come last
        names = {p.name for p, _ in self.deviating}
        quiet = [pair for pair in self.seen if pair[0].name not in names]
        self.order = sorted([*self.deviating, *quiet], key=lambda pair: pair[0].grad)

    # -- predictions ----------------------------------------------------------------------------

    def right(self, probe: Probe) -> Prediction:
        """What a right submission would show."""
        return self._course(probe).right

    def predict(self, faults: Iterable[Fault], probe: Probe) -> Prediction:
        """What a submission with these faults would show."""
        self.predictions += 1
        chosen, course = tuple(faults), self._course(probe)
        if len(chosen) > 1 and course.before:
            first, *rest = sorted(chosen, key=self.reach)
            if self.reach(first)[1] < self.reach(rest[0])[0]:
                return self._after(first, rest, probe, course)
        return predict(self.model, probe, merged(chosen), course)

    def _after(self, first: Fault, rest: Sequence[Fault], probe: Probe, course: Course) -> Prediction:
        """What faults give of which one comes before all the others: up to these the run is that of the
        first alone, which many sets share."""
        key = (probe.name, probe.grad, id(first))
        steps = merged(rest)
        if key not in self._begun:
            self._begun[key] = None  # worth while from the second time on
            return predict(self.model, probe, {**first.steps, **steps}, course)
        begun = self._begun[key]
        if begun is None:
            begun = self._begun[key] = follow(self.model.on(self.model.carried, **first.steps), probe)
            self._kept.append(first)
            if len(self._begun) > MOST_BEGUN:
                self._begun.popitem(last=False)
        start = next(name for name in self.model.steps if name in steps)
        if start not in begun.before:  # it raises before it comes there
            return begun.right
        return predict(
            self.model, probe, steps, Course(course.right, {**course.before, start: begun.before[start]})
        )

    def _course(self, probe: Probe) -> Course:
        key = (probe.name, probe.grad)
        if key not in self._courses:
            self._courses[key] = right_run(self.model, probe)
            compiled = self._compiled
            if compiled and compiled.knows(probe) and not compiled.agrees(probe, self._courses[key].right):
                self._compiled = None  # made with other numbers, say by another version of torch
        return self._courses[key]

    def _alone(self, fault: Fault, probe: Probe) -> Prediction:
        key = (probe.name, id(fault))
        if key not in self._single:  # does not count: it is the same for every submission
            self._single[key] = predict(self.model, probe, fault.steps, self._course(probe))
            self._kept.append(fault)
        return self._single[key]

    # -- questions ------------------------------------------------------------------------------

    def effect(self, fault: Fault, probe: Probe) -> Effect:
        """What the fault by itself does to what this probe shows."""
        key = (probe.name, id(fault))
        if key not in self._effects:
            row = self._row(fault, probe)
            if row is not None and self._compiled is not None:
                self._effects[key] = self._compiled.effect(row, probe)
            else:
                self._effects[key] = effect(self._alone(fault, probe), self.right(probe), probe)
            self._kept.append(fault)
        return self._effects[key]

    def acts(self, fault: Fault, probe: Probe) -> bool:
        """Whether the fault by itself changes what this probe shows."""
        return self.effect(fault, probe).acts

    def at_work(self, faults: tuple[Fault, ...], probe: Probe) -> tuple[Fault, ...]:
        """Those of the faults that may do something here.

        One that does nothing by itself may still do something to what an earlier one has changed.
        """
        moving = [f for f in faults if self.effect(f, probe).stirs]
        if len(moving) == len(faults) or not moving:
            return tuple(moving)
        first = min(self.reach(f)[0] for f in moving)
        return tuple(f for f in faults if f in moving or self.reach(f)[1] > first)

    def reach(self, fault: Fault) -> tuple[int, int]:
        """The places of the first and the last step that a fault replaces."""
        known = self._reaches.get(id(fault))
        return known if known is not None else self._reach(fault)

    def _reach(self, fault: Fault) -> tuple[int, int]:
        places = [self._places[name] for name in fault.steps]
        return min(places), max(places)

    def touches(self, fault: Fault) -> bool:
        """Whether the fault changes a probe that deviates."""
        return any(self.acts(fault, p) for p, _ in self.deviating)

    def possible(self, fault: Fault, probe: Probe, seen: Observation) -> bool:
        """False where a glance shows that the fault by itself cannot have given this."""
        row = self._row(fault, probe)
        if row is None or self._compiled is None:
            return True
        if probe.name not in self._prints:
            self._prints[probe.name] = print_of(seen, probe)
        return self._compiled.possible(row, probe, self._prints[probe.name])

    def print(self, fault: Fault, probe: Probe) -> Print:
        """The fingerprint of what the fault by itself gives."""
        row = self._row(fault, probe)
        if row is not None and self._compiled is not None:
            return self._compiled.print(row, probe)
        return print_of(self._alone(fault, probe).seen, probe)

    def exact(self, faults: Iterable[Fault]) -> bool:
        """Whether none of the faults costs accuracy; one that does passes for all that is nearly right."""
        return all(
            self._precision(f, probe) is self.right(probe).precision for f in faults for probe, _ in self.seen
        )

    def _precision(self, fault: Fault, probe: Probe) -> torch.dtype:
        row = self._row(fault, probe)
        if row is not None and self._compiled is not None:
            return self._compiled.precision(row, probe)
        return self._alone(fault, probe).precision

    def alone(self, fault: Fault, probe: Probe, seen: Observation) -> bool:
        """Whether the fault by itself gives what was seen."""
        return self.difference((fault,), probe, seen) is not None

    def difference(self, faults: tuple[Fault, ...], probe: Probe, seen: Observation) -> float | None:
        """How far the prediction of the faults is from what was seen; None where it is something else.

        A fault that does nothing here is left out: most sets then share a result.
        """
        faults = self.at_work(faults, probe)
        key = (probe.name, frozenset(id(f) for f in faults))
        if key not in self._cache:
            if not faults:
                prediction = self.right(probe)
            elif len(faults) > 1:
                prediction = self.predict(faults, probe)
            elif self.possible(faults[0], probe, seen):
                prediction = self._alone(faults[0], probe)
            else:
                self._cache[key] = None
                return None
            self._cache[key] = match(prediction, seen, probe)
            self._kept += faults
        return self._cache[key]

    def explains(self, faults: tuple[Fault, ...]) -> bool:
        """Whether the faults give all that was seen, as far as the short cuts tell."""
        if len(faults) == 1 and self._refuted(faults[0]):
            return False
        if len(faults) < 2:
            return all(self.difference(faults, p, o) is not None for p, o in self.order)
        later = []
        for probe, observation in self.order:  # first the probes whose prediction is in the table
            active = self.at_work(faults, probe)
            if len(active) > 1:
                later.append((active, probe, observation))
            elif self.difference(active, probe, observation) is None:
                return False
        return all(self.difference(active, p, o) is not None for active, p, o in later)

    def _refuted(self, fault: Fault) -> bool:
        """Whether the table tells, without any prediction, that the fault by itself does not explain."""
        if self._compiled is None:
            return False
        deviating = {p.name for p, _ in self.deviating}
        for probe, _ in self.order:
            if self._row(fault, probe) is not None:
                found = self.effect(fault, probe)
                if found.spoils if probe.name not in deviating else not found.acts:
                    return True
        return False

    def worst(self, faults: tuple[Fault, ...]) -> float | None:
        """The largest difference, if the whole set really predicts every observation (no short cuts)."""
        worst = 0.0
        for probe, observation in self.order:
            difference = match(self.predict(faults, probe), observation, probe)
            if difference is None:
                return None
            worst = max(worst, difference)
        return worst

    def _row(self, fault: Fault, probe: Probe) -> int | None:
        if self._compiled is None or not self._compiled.knows(probe):
            return None
        return self._rows.get(id(fault))


_right_runs: OrderedDict[tuple[int, int], tuple[Model, Probe, Course]] = OrderedDict()


_runs_on_parts: WeakKeyDictionary[Model, dict[int, tuple[Probe, Course]]] = WeakKeyDictionary()


def right_run(model: Model, probe: Probe) -> Course:
    """The right run on a probe.  It is the same for every submission, so that the latest are kept; on top
    of a learner's own parts it is that learner's, and kept as long as the model."""
    if model.carried:
        runs = _runs_on_parts.setdefault(model, {})
        if id(probe) not in runs:
            runs[id(probe)] = probe, follow(model, probe)
        return runs[id(probe)][1]
    key = (id(model), id(probe))  # both are kept beside the run, so that no other gets their numbers
    if key not in _right_runs:
        _right_runs[key] = model, probe, follow(model, probe)
        if len(_right_runs) > MOST_RUNS:
            _right_runs.popitem(last=False)
    _right_runs.move_to_end(key)  # a probe made for one call goes before those of the rooms
    return _right_runs[key][2]


def merged(faults: Iterable[Fault]) -> Mapping[str, Step]:
    """The replacements of all the faults."""
    steps: dict[str, Step] = {}
    for fault in faults:
        steps |= fault.steps
    return steps
