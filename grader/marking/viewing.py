"""Runs an example to look at on a submission, and makes its maps of plain numbers."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from grader.diagnosis.model import predict
from grader.exercises.registry import load_room
from grader.exercises.scene import Scene
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.picture import Matrix, Picture
from grader.submission.observation import Opaque
from grader.text import Text

__all__ = ["pictures_of"]


def pictures_of(lab: Lab, scene: Scene) -> tuple[Picture, ...]:
    """The maps of a scene: what is expected and, where the submission gives it, what it computes.

    What is expected is right throughout, also where the lab's own models stand on the learner's parts.
    """
    models = load_room(lab.room.id).models
    wanted = [_output(predict(models[p.target], p).seen.value, scene) for p in scene.probes]
    expected = scene.read(wanted)
    yours, why_not = None, None
    try:
        yours = scene.read(_results(lab, scene, wanted))
    except CheckFailed as failed:
        why_not = failed.text
    return tuple(
        Picture(
            scene.title,
            scene.kind,
            scene.rows,
            scene.columns,
            scene.row_axis,
            scene.column_axis,
            _matrix(expected[part]),
            None if yours is None else _matrix(yours[part]),
            scene.reasons(),
            scene.parts[part] if scene.parts else None,
            why_not,
            scene.alike,
        )
        for part in range(len(expected))
    )


def _results(lab: Lab, scene: Scene, wanted: Sequence[Tensor]) -> list[Tensor]:
    """What the submission gives for each probe.  Raises `CheckFailed` where that is no such tensor."""
    found = []
    for probe, want in zip(scene.probes, wanted):
        seen = lab.observe(probe)
        lab.must_work(seen, probe.title)
        values = lab.unpacked(seen, probe.target, probe.title)
        value = values[scene.output if len(values) > 1 else 0]
        names = lab.outputs.get(probe.target, ("result",))
        name = names[scene.output if len(names) > 1 else 0]
        if not isinstance(value, Tensor):
            kind = value.type if isinstance(value, Opaque) else type(value).__name__
            raise CheckFailed(Text(f"{name} is no tensor but a {kind}", f"{name} 不是张量，而是 {kind}"))
        if value.shape != want.shape:
            shapes = [str(tuple(t.shape)) for t in (value, want)]
            raise CheckFailed(
                Text(
                    f"{name} has the shape {shapes[0]}, expected {shapes[1]}",
                    f"{name} 的形状是 {shapes[0]}，应为 {shapes[1]}",
                )
            )
        found.append(value)
    return found


def _output(value: object, scene: Scene) -> Tensor:
    found = value[scene.output] if isinstance(value, tuple) else value
    assert isinstance(found, Tensor)
    return found


def _matrix(values: Tensor) -> Matrix:
    return tuple(tuple(float(v) for v in row) for row in values.double().tolist())
