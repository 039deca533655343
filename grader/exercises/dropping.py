"""What dropout left: whether each number was kept or dropped by a throw of its own."""

from __future__ import annotations

from itertools import product

import torch
from torch import Tensor

from grader.text import Text

__all__ = ["DROPS", "dropped_together", "kept_of"]

# where dropout is written, for `Catalogue.place`
DROPS = (
    "Dropout1d", "Dropout2d", "dropout1d", "rand", "rand_like", "bernoulli", "dropout()", "Dropout(",
)  # fmt: skip

ALIKE = (
    Text("the same numbers are dropped in every sequence", "每个序列丢弃的都是同样的位置"),
    Text("the same features are dropped for every token", "每个词元丢弃的都是同样的特征"),
    Text("whole tokens are dropped, not single numbers", "丢弃的是整个词元，而不是单个的数"),
)


def dropped_together(kept: Tensor) -> Text | None:
    """In which way numbers share a throw, or None.  kept: (B, S, D), True where a number was kept.

    Every size should be large enough that chance alone does not make a pattern.
    """
    for axis in (2, 1, 0):
        if bool((kept.all(dim=axis) | ~kept.any(dim=axis)).all()):
            return ALIKE[axis]
    return None


def kept_of(width: int) -> Tensor:
    """All ways to keep or drop `width` numbers (2^width, width): 1 is kept, 0 is dropped."""
    return torch.tensor(list(product([0.0, 1.0], repeat=width)), dtype=torch.float64)
