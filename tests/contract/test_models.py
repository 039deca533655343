"""The models against each other: each fault, run as if it were a submission, is diagnosed as itself.

This is the proof that the probes tell every pair of faults apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.diagnosis.faults import Fault
from grader.diagnosis.model import Probe, predict
from grader.diagnosis.search import Searcher
from grader.exercises.registry import load_room, module_names
from grader.exercises.room import Room
from grader.submission.observation import Observation
from grader.threads import one_thread

# (exercise, fault): the other name under which it may come out, and why it is the same from outside
SAME = {
    # a softmax does not change when a number is added to a whole row: adding the 0/1 mask is adding
    # -1 where it forbids
    ("mask-filled-too-small", "mask-added-as-bool"),
    # a large positive number where the mask forbids leaves weight only there
    ("mask-filled-too-small", "mask-inverted"),
}
# what a computation in float32 does is not exactly predictable: the model states a precision only
NOT_SIMULATED = {"dtype-changed"}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def simulated(room: Room, fault: Fault, tier: str) -> list[tuple[Probe, Observation]]:
    probes = [p for p in room.probes if p.target == fault.model.target and p.tier == tier]
    return [(p, predict(fault.model, p, fault.steps).seen) for p in probes]


@pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in ("attention", "multi_head_attention") else [])
        for name in module_names()
    ],
)
def test_each_fault_is_diagnosed_as_itself(exercise: str) -> None:
    room = load_room(exercise)
    wrong = []
    for model in room.models.values():
        for fault in room.catalogue.of(model):
            if fault.tier != "core" or fault.id in NOT_SIMULATED:
                continue
            core, ties = simulated(room, fault, "core"), simulated(room, fault, "tie")
            found = Searcher(model, room.catalogue, core, ties).explain(limit=1)
            names = [f.id for f in found.faults] if found is not None else None
            if names != [fault.id] and not (names and (fault.id, names[0]) in SAME):
                wrong.append(f"{model.target}: {fault.id} {dict(fault.number)} comes out as {names}")
    assert not wrong, "\n".join(wrong)
