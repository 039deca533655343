"""apply_mask in every dtype, and on a device."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.masks.probes import applying, keep_mask, scores
from grader.exercises.numerics import Numerics, Rounded, Size

__all__ = ["NUMERICS"]


def _applied(dtype: torch.dtype) -> Probe:
    return applying(
        "n", "apply_mask", "apply_mask", scores(411, 2, 3, 4, 5, dtype=dtype), keep_mask(412, 4, 5)
    )


def _large(size: Size) -> Probe:
    """Half the batch: the scores cross the wall, which the weights of the others do not."""
    given = scores(413, max(1, size.B // 2), size.H, size.S, size.S, dtype=torch.float32)
    return applying("large", "large", "大规模", given, torch.ones(size.S, size.S, dtype=torch.bool).tril())


NUMERICS = Numerics((Rounded(_applied, 1, 0.0),), large={"apply_mask": _large})
