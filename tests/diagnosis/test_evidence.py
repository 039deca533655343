"""What sets of faults are predicted to give does not depend on what was predicted before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, permutations

import pytest
import torch

from grader.diagnosis.evidence import Evidence, merged
from grader.diagnosis.faults import Fault
from grader.diagnosis.matching import holds_anything
from grader.diagnosis.model import Prediction, predict
from grader.exercises.registry import load_room, module_names
from grader.submission.observation import Outcome
from grader.threads import one_thread


@pytest.mark.parametrize(
    ("name", "target"), [("attention", None), ("layer_norm", "AddNorm"), ("encoder", None)]
)
def test_a_set_gives_what_its_replacements_give(name: str, target: str | None) -> None:
    """Also where it goes on from a run of its first fault that other sets have shared."""
    room = load_room(name)
    model = room.models[target] if target else next(iter(room.models.values()))
    calls = [p for p in room.probes if p.target == model.target and p.args is not None]
    probes = [*[p for p in calls if p.grad][:1], *[p for p in calls if not p.grad][:1]]
    evidence = Evidence(model, room.catalogue, [(p, predict(model, p).seen) for p in probes])
    pool = evidence.pool[:: max(1, len(evidence.pool) // 8)]
    sets = [s for s in permutations(pool, 2) if not s[0].clashes(s[1])]
    sets += list(islice((s for s in permutations(pool, 3) if not any(_clash(s))), 0, 300, 30))
    with one_thread():
        for probe in probes:
            for faults in sets:
                alike(evidence.predict(faults, probe), predict(model, probe, merged(faults)))
    assert any(begun is not None for begun in evidence._begun.values())


@pytest.mark.parametrize("name", module_names())
def test_the_table_refutes_other_faults_and_never_the_one_that_is_there(name: str) -> None:
    room = load_room(name)
    refuted = 0
    with one_thread():
        for target, model in room.models.items():
            probes = [p for p in room.probes if p.target == target and p.tier == "core" and not p.grad]
            pool = room.catalogue.of(model)
            for fault in pool[:: max(1, len(pool) // 6)]:
                shown = [(p, predict(model, p, fault.steps).seen) for p in probes]
                pairs = [(p, seen) for p, seen in shown if not holds_anything(seen.value)]
                evidence = Evidence(model, room.catalogue, pairs)
                assert not evidence._refuted(fault)
                refuted += sum(evidence._refuted(other) for other in pool)
    assert refuted > 50


def _clash(faults: tuple[Fault, ...]) -> Iterator[bool]:
    return (a.clashes(b) for a, b in combinations(faults, 2))


def alike(one: Prediction, other: Prediction) -> None:
    assert one.seen.outcome is other.seen.outcome
    assert one.seen.changed == other.seen.changed
    assert one.precision is other.precision
    if one.seen.outcome is Outcome.RAISED:
        assert one.seen.error is not None
        assert other.seen.error is not None
        assert one.seen.error.message == other.seen.error.message
        assert one.raised_in == other.raised_in
        return
    same(one.seen.value, other.seen.value)
    assert one.seen.grads.keys() == other.seen.grads.keys()
    for key, gradient in one.seen.grads.items():
        same(gradient, other.seen.grads[key])


def same(one: object, other: object) -> None:
    if isinstance(one, torch.Tensor):
        assert isinstance(other, torch.Tensor)
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)
    elif isinstance(one, (list, tuple)):
        assert isinstance(other, (list, tuple))
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(one, dict):
        assert isinstance(other, dict)
        assert one.keys() == other.keys()
        same(list(one.values()), list(other.values()))
    else:
        assert one == other or one is other
