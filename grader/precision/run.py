"""Runs the calls of an exercise in every dtype and under autocast, and measures how far they are off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.numerics import Rounded
from grader.exercises.registry import exercise, load_numerics
from grader.marking.case import Case
from grader.marking.compare import dtype_word
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.marking.precision import Rounding, exact, placed, units_off
from grader.marking.preparing import Preparation
from grader.precision.records import COLUMNS, Cell, Precision, Row
from grader.submission.launcher import Launcher
from grader.submission.observation import Observation
from grader.submission.source import Submission
from grader.text import Text
from grader.threads import one_thread

__all__ = ["measure"]

LOST = 0.1  # of the largest value: what is further off has left the range, and may have been made finite
DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "autocast": torch.float32,  # in which it is called; what is computed in bfloat16, autocast decides
}


@one_thread()
def measure(
    submission: Submission, name: str, launcher: Launcher, budget: Mapping[str, float] | None = None
) -> Precision:
    """The table of one exercise.  Raises only errors of the kit."""
    numerics = load_numerics(name)
    if numerics is None:
        return Precision(name, note=Text("nothing in it rounds", "其中没有会舍入的计算"))
    case = Case(exercise(name), submission.files.get(name))
    try:
        Preparation(submission, launcher, budget or {}).prepare(case)
        if case.lab is None:
            return Precision(name, note=case.note or Text(f"there is no {name}.py", f"没有 {name}.py"))
        return Precision(name, tuple(_row(case.lab, call) for call in numerics.calls))
    finally:
        if case.client is not None:
            case.client.close()


def _row(lab: Lab, call: Rounded) -> Row:
    first = call.probe(torch.float64)
    return Row(first.target, first.title, tuple(_cell(lab, call, column) for column in COLUMNS))


def _cell(lab: Lab, call: Rounded, column: str) -> Cell:
    auto = column == "autocast"
    dtype = DTYPES[column]
    probe = call.probe(dtype)
    seen = placed(lab, probe, **({"autocast": "bfloat16"} if auto else {}))
    rounding = Rounding(torch.bfloat16 if auto else dtype, call.terms, call.condition)
    try:
        lab.must_work(seen, probe.title)
        values = lab.unpacked(seen, probe.target, probe.title)
    except CheckFailed as failure:
        said = probe.title + Text(": ", "：")
        text = Text(failure.text.en.removeprefix(said.en), failure.text.zh.removeprefix(said.zh))
        return Cell(column, "wrong", note=text, **_place(seen, lab))
    worst = 0.0
    for name, found, wanted in zip(lab.outputs.get(probe.target, ("result",)), values, exact(lab, probe)):
        if not isinstance(found, Tensor) or found.shape != wanted.shape or not found.is_floating_point():
            text = Text(f"{name} is no tensor of the right shape", f"{name} 不是形状正确的浮点张量")
            return Cell(column, "wrong", note=text)
        if found.dtype != dtype and not auto:
            have = dtype_word(found.dtype)
            text = Text(f"{name} has dtype {have}", f"{name} 的 dtype 是 {have}")
            return Cell(column, "wrong", note=text)
        worst = max(worst, _off(probe, found, wanted, rounding.dtype))
    return _judged(column, worst, rounding, call)


def _off(probe: Probe, found: Tensor, wanted: Tensor, dtype: torch.dtype) -> float:
    where = probe.where
    if where is not None and where.shape == found.shape:
        return units_off(found[where], wanted[where], dtype)
    return units_off(found, wanted, dtype)


def _judged(column: str, worst: float, rounding: Rounding, call: Rounded) -> Cell:
    if call.beyond is not None and column == "float16" and not worst * rounding.unit <= LOST:
        return Cell(column, "beyond", None, rounding.allowed, call.beyond)
    if not math.isfinite(worst):
        return Cell(column, "wrong", None, rounding.allowed, Text("not finite", "不是有限值"))
    numbers = round(worst, 2), round(rounding.allowed, 1)
    if worst <= rounding.allowed:
        return Cell(column, "right", *numbers)
    if worst * rounding.unit <= call.open:
        return Cell(column, "open", *numbers)
    return Cell(column, "wrong", *numbers, rounding.why(worst))


def _place(seen: Observation, lab: Lab) -> dict[str, Any]:
    where = seen.error.within(f"{lab.client.module}.py") if seen.error is not None else None
    return {} if where is None else {"file": where.file, "line": where.line}
