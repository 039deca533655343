"""What came of calls with a stand-in model, as the outputs that a room names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.submission.asking import ToyModel, ToyOptimizer
from grader.submission.observation import Observation

__all__ = ["as_outputs", "toy_model"]


def toy_model(probe: Probe) -> ToyModel | None:
    """The stand-in model that a probe passes, if it does."""
    return next((a for a in _given(probe) if isinstance(a, ToyModel)), None)


def as_outputs(seen: Observation, probe: Probe) -> Observation:
    """The observation of a lesson as a tuple: what was returned, and then each look in its turn.

    The losses of several steps are one tensor, and so are the parameters after each of them.  Where the
    probe leaves positions open, their tokens are zero.
    """
    model = toy_model(probe)
    if model is None or not seen.ok:
        return seen
    told = seen.value if isinstance(seen.value, dict) else {}
    returned = told.get("returned")
    if not isinstance(returned, list) or not returned:
        returned = [None]
    first: Any = returned[0] if len(returned) == 1 else tuple(returned)
    if any(isinstance(a, ToyOptimizer) for a in _given(probe)):
        first = _losses(returned, model)
    elif isinstance(first, Tensor) and probe.where is not None and first.shape == probe.where.shape:
        first = first.masked_fill(~probe.where, 0)
    return replace(seen, value=(first, *(_look(told.get(name)) for name in model.looks)))


def _losses(returned: list[Any], model: ToyModel) -> Any:
    """Python floats in the model's dtype; anything else stays what it is."""
    if all(type(value) is float for value in returned):
        return torch.tensor(returned, dtype=model.settings["embedding"].dtype)
    return tuple(returned)


def _look(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(v, Tensor) for v in value):
        same = all(v.shape == value[0].shape and v.dtype == value[0].dtype for v in value)
        return torch.stack(value) if same else tuple(value)
    return tuple(value) if isinstance(value, list) else value


def _given(probe: Probe) -> tuple[Any, ...]:
    return (*(probe.args or ()), *probe.kwargs.values())
