"""The map that shows where attention, or a result, comes from what is forbidden."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from grader.exercises.registry import load_scenes
from grader.marking.lab import Lab
from grader.marking.picture import Picture
from grader.marking.records import CheckResult, Diagnosis
from grader.marking.viewing import pictures_of

__all__ = ["leak_of"]

OFF = 1e-3  # by how much a row's shares may miss one
# mistakes that may let a result depend on what it should not
MIXING = re.compile(r"mask|pad|softmax|causal|sequence|ax[ei]s|batch|everything|over|first|heads|attention")


def leak_of(lab: Lab, checks: Sequence[CheckResult], diagnoses: Sequence[Diagnosis]) -> Picture | None:
    """The first map of an exercise's examples in which a forbidden cell holds something; or, where the
    diagnosis names a softmax, one whose rows do not sum to one.

    None where no core check failed, where nothing of that is seen, or where the submission had to be
    stopped before.  What takes many calls is only looked at where the diagnosis leaves room for it.
    """
    if not any(c.tier == "core" and c.outcome == "failed" for c in checks) or lab.client.stops:
        return None
    core = [d for d in diagnoses if d.tier == "core"]
    softmax = any("softmax" in f.id for d in core for f in d.faults)
    open_ = not core or any(d.confidence != "confirmed" for d in core)
    mixing = open_ or any(MIXING.search(f.id) for d in core for f in d.faults)
    sums = None
    for scene in load_scenes(lab.room.id):
        if scene.forbidden is None or (len(scene.probes) > 1 and not mixing):
            continue
        for picture in pictures_of(lab, scene):
            if picture.leaking():
                return picture
            if softmax and sums is None and picture.kind == "weights" and _sums_are_off(picture):
                sums = picture
        if lab.client.stops:
            return None
    return sums


def _sums_are_off(picture: Picture) -> bool:
    sums = [sum(row) for row in picture.yours or ()]
    return any(math.isfinite(total) and abs(total - 1) > OFF for total in sums)
