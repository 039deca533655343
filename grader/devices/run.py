"""Runs a submission on a device at the size of real work, against the float64 model on the CPU.

One sequence of the batch is compared: what the others are does not matter to it, and the gradient is taken
of it alone.  So the model has an eighth of the work, and what crosses the wall stays small.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.devices.records import DeviceCall, DeviceRun, Way
from grader.diagnosis.matching import named
from grader.diagnosis.model import Prediction, Probe, cotangents, predict
from grader.exercises.numerics import Size
from grader.exercises.registry import exercise, load_numerics
from grader.marking.case import Case
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.precision import Rounding, exact, placed, units_off
from grader.marking.preparing import Preparation
from grader.submission.launcher import Launcher, SpawnLauncher
from grader.submission.observation import Observation
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread

__all__ = ["launcher_of", "try_device"]

PRECISIONS = ("float32", "autocast")
# loading a driver's kernels takes its time, and a large call on a CPU too
LIMITS = {"call": 180.0, "load": 60.0, "total": 900.0, "processes": 256.0}
MEMORY = float(12 << 30)  # on the CPU; the driver of an accelerator maps more than there is
GRADIENTS = 4.0  # times the error of the values: products of several of them
CONDITION = {"float32": 16.0, "autocast": 8.0}


def launcher_of(device: str) -> Launcher:
    """Workers that may use this device: processes of their own, for no driver survives a fork."""
    return SpawnLauncher(device=device)


@one_thread()
def try_device(
    submission: Submission,
    device: str,
    passed: Collection[str],
    launcher: Launcher,
    *,
    size: Size | None = None,
    budget: Mapping[str, float] | None = None,
) -> DeviceRun:
    """The exercises that have passed, on this device.  Raises only errors of the kit."""
    size = size or Size()
    limits = LIMITS | {"memory": MEMORY if device == "cpu" else 0.0} | dict(budget or {})
    calls: list[DeviceCall] = []
    layers: tuple[str, ...] = ()
    for name in submission.chosen:
        numerics = load_numerics(name)
        if name not in passed or numerics is None or not numerics.large:
            continue
        case = Case(exercise(name), submission.files.get(name))
        try:
            Preparation(submission, launcher, limits).prepare(case)
            if case.lab is None:
                continue
            layers = case.client.layers if case.client is not None else ()
            for target, large in numerics.large.items():
                calls.append(_call(case.lab, target, large(size), device, size, numerics.quadratic))
        finally:
            if case.client is not None:
                case.client.close()
    left_out = tuple(name for name in submission.chosen if name not in passed)
    return DeviceRun(device, size.B, size.H, size.S, tuple(calls), left_out, layers)


def _call(lab: Lab, target: str, probe: Probe, device: str, size: Size, quadratic: bool) -> DeviceCall:
    batch = _batch(probe)
    last = _last(probe, batch)
    right = predict(lab.model(target), last)
    ways = tuple(_way(lab, probe, last, right, device, batch, precision) for precision in PRECISIONS)
    return DeviceCall(lab.room.id, target, ways, batch * size.H * size.S**2 * 4 if quadratic else None)


def _way(
    lab: Lab, probe: Probe, last: Probe, right: Prediction, device: str, batch: int, precision: str
) -> Way:
    how: dict[str, Any] = {"device": device, "rows": [batch - 1], "measure": True}
    if probe.grad:
        how["cotangents"] = [None if c is None else _alone(c, batch) for c in cotangents(right.seen.value)]
    if precision == "autocast":
        how["autocast"] = "bfloat16"
    seen = placed(lab, probe, **how)
    try:
        lab.must_work(seen, Text.same(probe.target))
        values = lab.unpacked(seen, probe.target, Text.same(probe.target))
    except CheckFailed as failure:
        return Way(precision, note=failure.text, held=seen.held, **_place(seen, lab))
    dtype = torch.bfloat16 if precision == "autocast" else torch.float32
    terms = 64 if precision == "autocast" else max(probe.args[0].shape[1:]) if probe.args else 1
    rounding = Rounding(dtype, terms, CONDITION[precision])
    forward, note = 0.0, None
    names = lab.outputs.get(probe.target, ("result",))
    for name, found, wanted in zip(names, values, exact(lab, last)):
        if not isinstance(found, Tensor) or found.shape != wanted.shape:
            shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
            note = Text(f"{name} is {shape}, expected {tuple(wanted.shape)}", f"{name} 的形状不对：{shape}")
            return Way(precision, held=seen.held, note=note)
        forward = max(forward, units_off(found, wanted, dtype))
    if forward > rounding.allowed:
        note = _why("forward", "前向", forward, rounding)
    backward = None
    if probe.grad and note is None:
        backward, note = _gradients(lab, seen, right, rounding)
    return Way(precision, _finite(forward), _finite(backward), round(rounding.allowed, 1), seen.held, note)


def _gradients(
    lab: Lab, seen: Observation, right: Prediction, rounding: Rounding
) -> tuple[float | None, Text | None]:
    assert right.state is not None
    if seen.gradient != "ok":
        words = seen.gradient_error.message if seen.gradient_error is not None else seen.gradient
        return None, Text(f"no gradient: {words}", f"没有梯度：{words}")
    found = named(seen, lab.model(right.state.probe.target)).grads
    worst = 0.0
    for name, wanted in right.seen.grads.items():
        if wanted is None or not bool(wanted.abs().max() > 0):
            continue
        one = found.get(name)
        label = name.removeprefix("param:")
        if one is None or one.shape != wanted.shape:
            return None, Text(f"no gradient reaches {label}", f"梯度没有传到 {label}")
        scale = max(1.0, float(wanted.abs().max()))
        worst = max(worst, units_off(one.double() / scale, wanted.double() / scale, rounding.dtype))
    if worst > GRADIENTS * rounding.allowed:
        return worst, _why("backward", "反向", worst, rounding)
    return worst, None


def _why(en: str, zh: str, off: float, rounding: Rounding) -> Text:
    if not math.isfinite(off):
        return Text(f"{en}: not finite", f"{zh}：不是有限值")
    words = rounding.why(off)
    return Text(f"{en}: {words.en}", f"{zh}：{words.zh}")


def _finite(value: float | None) -> float | None:
    return round(value, 2) if value is not None and math.isfinite(value) else None


def _place(seen: Observation, lab: Lab) -> dict[str, Any]:
    where = seen.error.within(f"{lab.client.module}.py") if seen.error is not None else None
    return {} if where is None else {"file": where.file, "line": where.line}


# -- one sequence of the batch ----------------------------------------------------------------------


def _batch(probe: Probe) -> int:
    first = probe.args[0] if probe.args else None
    assert isinstance(first, Tensor)
    return len(first)


def _last(probe: Probe, batch: int) -> Probe:
    """The probe of the last sequence alone; one tensor that is given thrice stays one."""
    cut: dict[int, Tensor] = {}

    def part(value: Any) -> Any:
        if not isinstance(value, Tensor) or value.dim() < 2 or len(value) != batch:
            return value
        return cut.setdefault(id(value), value[batch - 1 :])

    args = tuple(part(a) for a in probe.args or ())
    return probe.but(args=args, kwargs={k: part(v) for k, v in probe.kwargs.items()})


def _alone(cotangent: Tensor, batch: int) -> Tensor:
    """Nothing for the other sequences."""
    whole = torch.zeros(batch, *cotangent.shape[1:], dtype=torch.float32)
    whole[batch - 1] = cotangent[0]
    return whole
