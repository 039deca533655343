"""What is different on one small call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.exercises.small import Case
from grader.submission.observation import Observation

__all__ = ["Finding", "by_how_much", "scale_of", "where_raised"]


@dataclass(frozen=True)
class Finding:
    """A difference.

    kind: ``values``, ``shape``, ``dtype``, ``type`` (of an output); ``raises``; ``accepts`` and
    ``wrong error`` (where a ValueError is right); ``changed`` (an argument); ``gradient``, ``no
    gradient``, ``backward raises`` (of a leaf); ``state``, ``initial`` (of a new object); ``called``,
    ``registered`` (a callable); ``global`` (a setting); ``device``.  part: the output, argument, leaf,
    entry or setting it is about; found, wanted: of that part; visible: easily told apart.
    """

    case: Case
    kind: str
    part: str
    seen: Observation
    found: Any = None
    wanted: Any = None
    visible: bool = True

    def like(self, other: Finding) -> bool:
        """Whether a smaller case shows the same kind of thing as `other`, as clearly."""
        if (self.kind, self.part) != (other.kind, other.part) or (other.visible and not self.visible):
            return False
        if self.kind in ("raises", "wrong error"):
            return where_raised(self.seen) == where_raised(other.seen)
        if isinstance(self.found, Tensor) and isinstance(other.found, Tensor):
            return _finite(self.found) or not _finite(other.found)
        return True


def by_how_much(found: Tensor, wanted: Tensor) -> Tensor:
    """The absolute differences: infinite where just one of the two is NaN or infinite."""
    a, b = found.double(), wanted.double()
    same = (a == b) | (a.isnan() & b.isnan())
    return torch.where(same, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=torch.inf, posinf=torch.inf)


def scale_of(wanted: Tensor) -> float:
    """What tolerances are relative to: the largest number expected, at least one."""
    finite = wanted.double()[wanted.isfinite()] if wanted.is_floating_point() else wanted.double()
    return max(1.0, float(finite.abs().max())) if finite.numel() else 1.0


def where_raised(seen: Observation) -> tuple[str, int | None]:
    """The type of an exception, and the learner's line."""
    error = seen.error
    return ("", None) if error is None else (error.type, error.where.line if error.where else None)


def _finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(tensor.isfinite().all())
