"""How many tensors of the size of the attention weights a submission keeps at once: told, never marked.

The worker counts (`grader.worker.holding`), so the figure is a claim.  It is believed within bounds, since
nothing rests on it.
"""

from __future__ import annotations

from torch import Tensor

from grader.exercises.registry import load_numerics
from grader.marking.lab import Lab
from grader.marking.precision import placed
from grader.marking.records import Held

__all__ = ["held_by"]

FEW, MANY = 0.5, 100.0  # what is beyond is no count of anything


def held_by(lab: Lab | None, status: str) -> Held | None:
    """What a right submission holds in the forward pass; None where there is nothing to count.

    One call of a few positions: the number of tensors does not depend on how many there are.
    """
    if lab is None or status != "passed" or lab.client.stops or lab.client.exhausted:
        return None
    numerics = load_numerics(lab.room.id)
    if numerics is None or numerics.square is None:
        return None
    seen = placed(lab, numerics.square, measure=True)
    weights = seen.value[1] if isinstance(seen.value, (tuple, list)) and len(seen.value) == 2 else None
    if seen.held is None or not isinstance(weights, Tensor):
        return None
    heads = weights.shape[:-2].numel()
    one = heads * numerics.positions**2 * weights.element_size()
    tensors = seen.held / one
    if not FEW <= tensors <= MANY:
        return None
    return Held(numerics.positions, int(tensors), numerics.suffice)
