"""How far rounding may take a result, and calls that are computed in another precision or elsewhere.

A dtype that keeps `p` bits rounds each result by up to one unit, ``2 ** -p`` of its size.  The errors of a
sum of `n` terms go either way, and so grow like the square root of `n` (Higham and Mary 2019); what comes
after the sum amplifies them by a `condition`.  Twice that is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe, float_tensors
from grader.marking.compare import BITS, dtype_word, number
from grader.marking.failing import CheckFailed
from grader.marking.lab import Lab
from grader.submission.observation import Observation
from grader.text import Text

__all__ = ["Rounding", "exact", "near_in", "placed", "units_off", "whole_numbers"]

ALLOWED = 2.0  # times what is expected


def whole_numbers(dtype: torch.dtype) -> Text:
    """How far a dtype counts."""
    word, last = dtype_word(dtype), 2 ** BITS[dtype]
    return Text(
        f"{word} keeps {BITS[dtype]} bits, so that the next whole number after {last} is {last + 2}",
        f"{word} 只有 {BITS[dtype]} 位有效数字，{last} 之后的下一个整数是 {last + 2}",
    )


@dataclass(frozen=True)
class Rounding:
    """What a dtype's rounding may do to a result of sums of so many terms."""

    dtype: torch.dtype
    terms: int
    condition: float

    @property
    def unit(self) -> float:
        return 2.0 ** -BITS[self.dtype]

    @property
    def allowed(self) -> float:
        """In units."""
        return ALLOWED * (math.sqrt(self.terms) + self.condition)

    def why(self, found: float) -> Text:
        """Why an error of so many units is no rounding."""
        word, bits, n = dtype_word(self.dtype), BITS[self.dtype], self.terms
        expected, have = number(self.allowed * self.unit, 2), number(found * self.unit, 2)
        over, over_zh = (f", over sums of {n} terms", f"，求和长度为 {n}") if n > 1 else ("", "")
        return Text(
            f"{word} keeps {bits} bits{over}: an error of up to {expected} of the largest value is expected; "
            f"found {have}",
            f"{word} 有 {bits} 位有效数字{over_zh}：误差应不超过最大值的 {expected}，实际为 {have}",
        )


def units_off(found: Tensor, wanted: Tensor, dtype: torch.dtype) -> float:
    """The largest error, in the dtype's units of the largest expected value (at least 1); inf where
    one is finite and the other is not."""
    a, b = found.double(), wanted.double()
    if not a.numel():
        return 0.0
    same = (a == b) | (a.isnan() & b.isnan())
    difference = torch.where(same, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=torch.inf)
    finite = b[b.isfinite()]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    return float(difference.max()) / (scale * 2.0 ** -BITS[dtype])


def exact(lab: Lab, probe: Probe) -> list[Tensor]:
    """What a right submission would give without rounding."""
    result = lab.model(probe.target).run(probe.but(grad=False)).result
    return [t.double() for t in float_tensors(result)]


def placed(lab: Lab, probe: Probe, **how: Any) -> Observation:
    """Runs a probe with autocast, on a device, measured (see `worker.placing`)."""
    lab.target = probe.target
    if probe.init is None:
        return lab.client.call(probe.target, probe.args or (), probe.kwargs, **how)
    follow = {"args": probe.args, "kwargs": dict(probe.kwargs), "train": probe.train, **how}
    options: dict[str, Any] = {"state": dict(probe.state or {}), "dtype": probe.dtype, "seed": 0}
    if "device" in how:
        options["device"] = how["device"]
    return lab.client.construct(probe.target, (), probe.init, train=probe.train, then=follow, **options)


def near_in(lab: Lab, probe: Probe, rounding: Rounding, title: Text, **how: Any) -> None:
    """The check fails unless the results are finite where they should be, and near what they should be.

    The dtype is open: where autocast is at work, it decides.
    """
    seen = placed(lab, probe, **how)
    lab.must_work(seen, title)
    names = lab.outputs.get(probe.target, ("result",))
    values: Sequence[Any] = lab.unpacked(seen, probe.target, title)
    for name, found, wanted in zip(names, values, exact(lab, probe)):
        if not isinstance(found, Tensor) or found.shape != wanted.shape or not found.is_floating_point():
            lab.near(name, found, wanted, title=title)
            continue
        off = units_off(found, wanted, rounding.dtype)
        if off <= rounding.allowed:
            continue
        if math.isfinite(off):
            words = rounding.why(off)
        else:
            words = Text(f"{name} is not finite, and should be", f"{name} 不是有限值，而应当是")
        raise CheckFailed(Text(f"{title.en}: {words.en}", f"{title.zh}：{words.zh}"), seen=seen)
