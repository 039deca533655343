"""Whether an observation is what a prediction says, and by how much the numbers differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import ANYTHING, Model, Prediction, Probe, float_tensors
from grader.submission.observation import ErrorInfo, Observation, Outcome

__all__ = ["FACTOR", "error_kind", "focused", "holds_anything", "match", "named"]

KINDS: tuple[tuple[str, str], ...] = (
    ("attention call", r"MultiHeadAttention\.forward\(\)"),  # with other arguments than it has
    ("call", r"positional argument|keyword argument|multiple values for argument"),
    ("view", r"view size is not compatible|view\(\) .*stride"),
    ("overflow", r"without overflow"),
    ("in-place", r"leaf Variable|in-?place|inplace|written-to tensor refers to the same memory"),
    (
        "shape",
        (
            r"must match|cannot be multiplied|size mismatch|invalid for input of size|expand|broadcast"
            r"|[Ss]izes? of tensors|Expected size|expected size|subscript|dimension|shape|stack expects"
            r"|inner dims|mismatch|must be equal|Dimension out of range|must be a [0-9]D|values to unpack"
            r"|[0-9]-?D tensor|einsum|size of tensor|same number of"
        ),
    ),
    ("dtype", r"dtype|scalar type|not implemented for|bool tensor|same type|to have the same"),
)
FACTOR = {torch.float64: 2e-11, torch.float32: 2e-5, torch.float16: 2e-2, torch.bfloat16: 1e-1}


def error_kind(error: ErrorInfo | None) -> str:
    """A coarse kind: two ways of writing the same mistake raise the same kind of exception."""
    if error is None:
        return "none"
    if error.type == "ForbiddenOperation":
        return "forbidden"
    bases = set(error.bases) | {error.type}
    for name, kind in (
        ("NotImplementedError", "not-implemented"),
        ("ImportError", "import"),
        ("AssertionError", "value"),
        ("IndexError", "shape"),
        ("NameError", "name"),
        ("AttributeError", "attribute"),
        ("KeyError", "key"),
        ("RecursionError", "recursion"),
        ("SystemExit", "exit"),
    ):
        if name in bases:
            return kind
    if "ValueError" in bases:  # torch's own are RuntimeErrors; this one is raised by hand, or by Python
        return "shape" if "to unpack" in error.message else "value"
    for kind, pattern in KINDS:
        if re.search(pattern, error.message):
            return kind
    if "TypeError" in bases:
        return "type"
    return "runtime" if "RuntimeError" in bases else error.type


def named(seen: Observation, model: Model) -> Observation:
    """The observation with positions replaced by the names of the parameters."""

    def name(key: str) -> str:
        return model.inputs[int(key)] if key.isdigit() and int(key) < len(model.inputs) else key

    return replace(
        seen,
        changed=tuple(name(c) for c in seen.changed),
        grads={name(k): v for k, v in seen.grads.items()},
    )


def match(prediction: Prediction, seen: Observation, probe: Probe) -> float | None:
    """The largest relative difference when the observation is as predicted, else None.

    Below zero when the prediction leaves the values open, so that agreeing says little.
    """
    wanted = prediction.seen
    if wanted.outcome is not seen.outcome:
        return None
    if wanted.outcome is Outcome.RAISED:
        return 0.0 if error_kind(wanted.error) == error_kind(seen.error) else None
    if set(wanted.changed) != set(seen.changed):
        return None
    allowed = FACTOR[prediction.precision] * max(1.0, probe.condition / 50)
    worst = _trees(focused(wanted.value, probe), focused(seen.value, probe), allowed)
    if worst is not None and worst >= 0 and holds_anything(wanted.value):
        return -1.0
    if worst is None or not probe.grad or seen.gradient == "mismatch":
        return worst  # no gradient was taken of a result that does not have the right shape
    if any(bool(t.isnan().any()) for t in float_tensors(wanted.value)):
        return worst  # the values are NaN already; how far it spreads backwards says nothing more
    if seen.gradient == "raised" and getattr(prediction.state, "in_place", False):
        return worst  # whether the backward pass needs what was overwritten depends on the way of writing
    if wanted.gradient != seen.gradient:
        return None
    if _any_nan(wanted.grads):  # which inputs a NaN reaches depends on the way of writing
        return worst if _any_nan(seen.grads) else None
    for key, gradient in wanted.grads.items():
        found = seen.grads.get(key)
        difference = _gradient(gradient, found, allowed * 10)
        if difference is None:
            return None
        worst = max(worst, difference)
    return worst


def holds_anything(value: Any) -> bool:
    """Whether some part of a predicted value is left open."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_anything(item) for item in value)
    return value is ANYTHING


def focused(value: Any, probe: Probe) -> Any:
    """The value with the first output zero where the probe does not compare."""
    if probe.where is None:
        return value
    if isinstance(value, Tensor):
        fits = value.dim() >= probe.where.dim() and value.is_floating_point()
        try:
            return value.masked_fill(~probe.where, 0.0) if fits else value
        except RuntimeError:  # another shape than the right one: compared as it is
            return value
    if isinstance(value, (tuple, list)) and value:
        return (focused(value[0], probe), *value[1:])
    return value


def _any_nan(grads: Mapping[str, Tensor | None]) -> bool:
    return any(g is not None and bool(g.isnan().any()) for g in grads.values())


def _gradient(wanted: Tensor | None, found: Tensor | None, allowed: float) -> float | None:
    if wanted is None or found is None:
        there = wanted if found is None else found
        return 0.0 if there is None or not bool(there.abs().max() > 0) else None
    return _tensors(wanted, found.to(wanted.dtype), allowed)


def _trees(wanted: Any, found: Any, allowed: float) -> float | None:
    if wanted is ANYTHING:
        return 0.0
    if isinstance(wanted, Tensor):
        if not isinstance(found, Tensor) or found.dtype != wanted.dtype:
            return None
        return _tensors(wanted, found, allowed)
    if isinstance(wanted, (list, tuple)):
        if not isinstance(found, (list, tuple)) or len(wanted) != len(found):
            return None
        worst = 0.0
        for one, other in zip(wanted, found):
            difference = _trees(one, other, allowed)
            if difference is None:
                return None
            worst = max(worst, difference)
        return worst
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or wanted.keys() != found.keys():
            return None
        return _trees(list(wanted.values()), [found[key] for key in wanted], allowed)
    if isinstance(wanted, float):
        same = isinstance(found, (int, float)) and abs(found - wanted) <= allowed * max(1.0, abs(wanted))
        return 0.0 if same else None
    return 0.0 if type(wanted) is type(found) and wanted == found else None


def _tensors(wanted: Tensor, found: Tensor, allowed: float) -> float | None:
    if wanted.shape != found.shape:
        return None
    if wanted.numel() == 0:
        return 0.0
    if not wanted.is_floating_point():
        return 0.0 if torch.equal(wanted, found) else None
    a, b = wanted.double(), found.double()
    difference = torch.where(a == b, torch.zeros_like(a), (a - b).abs())
    largest = float(difference.max())
    if largest != largest or largest == float("inf"):
        same = (a == b) | (a.isnan() & b.isnan())
        odd = ~(a.isfinite() & b.isfinite())
        if not bool(same[odd].all()):
            return None
        rest = difference[~odd]
        largest = float(rest.max()) if rest.numel() else 0.0
        a = torch.where(odd, torch.zeros_like(a), a)
    scale = max(1.0, float(a.abs().max()))
    return largest / scale if largest <= allowed * scale else None
