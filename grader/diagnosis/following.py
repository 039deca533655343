"""Follows one deviating call line by line, beside the routes that the exercise knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from grader.diagnosis.matching import FACTOR, match
from grader.diagnosis.model import Model, Prediction, Probe, predict
from grader.diagnosis.route import Route
from grader.diagnosis.search import Searcher
from grader.diagnosis.sightings import Tolerance
from grader.diagnosis.walk import Budget, Walk, walk
from grader.exercises.registry import load_routes
from grader.submission.observation import Observation, Outcome

if TYPE_CHECKING:
    from grader.marking.lab import Lab

__all__ = ["Followed", "alongside", "followed", "stopped", "wrong_values"]

MOST_TRACED = 3


@dataclass(frozen=True)
class Followed:
    """One deviating call, followed: what was seen of it, what is right, and the walk beside a route."""

    probe: Probe
    seen: Observation
    right: Prediction
    walk: Walk

    @property
    def rank(self) -> int:
        culprit = self.walk.culprit
        return 0 if culprit is None else 1 + culprit.rest_right


def followed(lab: Lab, searchers: Sequence[Searcher]) -> Followed | None:
    """The most telling of the simplest calls that returned wrong values; None where there are none."""
    budget = Budget()
    traced = 0
    for searcher in searchers:
        best: Followed | None = None
        wrong = [pair for pair in searcher.deviating if wrong_values(searcher, *pair)]
        for probe, seen in _simple_first(wrong):
            if traced == MOST_TRACED or lab.client.exhausted:
                break
            traced += 1
            found = _follow(lab, searcher.model, probe, seen, budget)
            again = found is not None and best is not None and found.rank == best.rank == 1
            if found is not None and (best is None or found.rank > best.rank):
                best = found
            if again or (best is not None and best.rank == 2):
                break
        if best is not None:
            return best
    return None


def stopped(lab: Lab, searchers: Sequence[Searcher]) -> Followed | None:
    """The simplest call that raised, followed up to there."""
    for searcher in searchers:
        pairs = [(p, o) for p, o in searcher.deviating if o.outcome is Outcome.RAISED and p.args is not None]
        for probe, seen in _simple_first(pairs):
            return None if lab.client.exhausted else _follow(lab, searcher.model, probe, seen, Budget(0))
    return None


def wrong_values(searcher: Searcher, probe: Probe, seen: Observation) -> bool:
    """Whether a call that deviates returned something else than it should (and not just its gradients)."""
    if not seen.ok or probe.args is None:
        return False
    return match(searcher.right(probe), seen, probe.but(grad=False)) is None and not seen.changed


def _simple_first(pairs: Sequence[tuple[Probe, Observation]]) -> Iterator[tuple[Probe, Observation]]:
    yield from sorted(pairs, key=lambda pair: _weight(pair[0]))


def _weight(probe: Probe) -> tuple[object, ...]:
    """For sorting: few arguments, usual numbers, sizes that differ, few numbers."""
    given = [*(probe.args or ()), *probe.kwargs.values()]
    tensors = [a for a in given if isinstance(a, torch.Tensor)]
    sizes = [size for t in tensors[:1] for size in t.shape if size > 1]
    return (
        "gradient" in probe.title.en,  # which is not what is told here
        any(not bool(v.any()) for v in (probe.state or {}).values()),
        sum(a is not None for a in given),
        probe.condition > 200,
        probe.train,
        bool((probe.init or {}).get("dropout")),
        any(1 in t.shape for t in tensors[:1]),
        any(t.dim() < 3 for t in tensors[:1]),
        any(not t.is_contiguous() for t in tensors),
        any(t.dtype is not torch.float64 for t in tensors if t.is_floating_point()),
        len({id(t) for t in tensors}) < len(tensors),
        len(set(sizes)) < len(sizes),
        sum(t.numel() for t in tensors),
    )


def _follow(lab: Lab, model: Model, probe: Probe, seen: Observation, budget: Budget) -> Followed | None:
    plain = probe.but(grad=False)
    traced = lab.observe(plain, trace=True)
    if traced.outcome is not seen.outcome:  # code that cannot be watched
        traced = replace(seen, trace=())
    return alongside(lab.room.id, model, probe, traced, budget)


def alongside(
    exercise: str, model: Model, probe: Probe, traced: Observation, budget: Budget, *, settled: bool = False
) -> Followed | None:
    """One call whose operations were recorded, beside the route that it keeps closest to.

    settled: what it returns is known to be right, so that nothing finer is looked for.
    """
    plain = probe.but(grad=False)
    best: Walk | None = None
    for route in load_routes(exercise).get(model.target, (Route(model, {}),)):
        if route.instead_of and best is not None and not _concerns(route, best):
            continue
        right = predict(route.model, plain)
        found = walk(route, right, traced, _tolerance(right, probe, settled), budget)
        if found is not None and (best is None or found.rank > best.rank):
            best = found
    return None if best is None else Followed(probe, traced, predict(model, plain), best)


def _concerns(route: Route, best: Walk) -> bool:
    """Whether another way through some steps may place the mistake better."""
    culprit = best.culprit
    if culprit is None or culprit.given:
        return True
    return culprit.step in route.instead_of and not culprit.before


def _tolerance(right: Prediction, probe: Probe, settled: bool = False) -> Tolerance:
    factor = max(1.0, probe.condition / 50)
    return Tolerance(max(1e-10, 4 * FACTOR[right.precision] * factor), factor, settled)
