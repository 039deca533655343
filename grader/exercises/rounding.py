"""What the suites ask of a call in half precision or under autocast."""

from __future__ import annotations

import torch

from grader.exercises.numerics import Rounded
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.precision import Rounding, near_in
from grader.text import Text

__all__ = ["under_autocast"]

NO_ROOM = "without overflow"  # what torch says of a fill that the dtype of the scores cannot hold


def under_autocast(lab: Lab, call: Rounded) -> None:
    """The check fails unless a float32 call works under autocast to bfloat16, and is near the model.

    What an earlier part of the learner's own does there is not this exercise's matter.
    """
    if lab.carried:
        return
    probe = call.probe(torch.float32)
    words = probe.title
    title = Text(f"under autocast to bfloat16, {words.en}", f"在 bfloat16 autocast 下，{words.zh}")
    rounding = Rounding(torch.bfloat16, call.terms, call.condition)
    try:
        near_in(lab, probe, rounding, title, autocast="bfloat16")
    except CheckFailed as failure:
        error = failure.seen.error if failure.seen is not None else None
        if error is not None and NO_ROOM in error.message:
            failure.fault = "mask-overflow-autocast"
        raise
