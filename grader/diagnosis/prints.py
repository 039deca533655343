"""Fingerprints: a few numbers of what a call gave, which tell quickly what cannot be the same.

Two observations that `match` takes for the same have the same code, and projections that differ by no
more than the numbers may.  The opposite does not hold: what agrees here has to be matched in full.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.matching import FACTOR, error_kind, focused, holds_anything
from grader.diagnosis.model import Probe
from grader.submission.observation import Observation, Outcome

__all__ = ["OPEN", "PRECISIONS", "WIDTH", "Print", "could_match", "print_of"]

WIDTH = 2  # projections
STORED = 1e-6  # accuracy of a projection that was kept as float32
OPEN = 0  # the code of a prediction that leaves something open: anything could match it
PRECISIONS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
STAND_INS = {"nan": 3.7, "posinf": 5.1, "neginf": -5.3}  # as good as any numbers, the same on both sides


@dataclass(frozen=True)
class Print:
    """code: of everything that must be equal; along: projections of the numbers; scale: the largest."""

    code: int
    along: tuple[float, ...]
    scale: float


def print_of(seen: Observation, probe: Probe) -> Print:
    """The fingerprint of an observation or a prediction.  Gradients are left out."""
    if seen.outcome is not Outcome.OK:
        kind = error_kind(seen.error) if seen.outcome is Outcome.RAISED else ""
        return Print(_code(f"{seen.outcome.value} {kind}"), (0.0,) * WIDTH, 0.0)
    value = focused(seen.value, probe)
    if holds_anything(value):
        return Print(OPEN, (0.0,) * WIDTH, 0.0)
    words: list[str] = ["ok", *sorted(set(seen.changed))]
    numbers: list[Tensor] = []
    for part in _leaves(value):
        if isinstance(part, Tensor):
            words.append(f"{part.dtype} {tuple(part.shape)}")
            if part.is_floating_point():
                numbers.append(part.detach().double().flatten())
            else:
                words.append(str(zlib.crc32(part.contiguous().numpy().tobytes())))
        elif isinstance(part, (int, float)) and not isinstance(part, bool):
            words.append("number")
            numbers.append(torch.tensor([part], dtype=torch.float64))
        else:
            words.append(f"{type(part).__name__} {part!r}")
    if not numbers:
        return Print(_code("|".join(words)), (0.0,) * WIDTH, 0.0)
    flat = torch.cat(numbers)
    finite = flat.nan_to_num(STAND_INS["nan"], STAND_INS["posinf"], STAND_INS["neginf"])
    along = (_weights(flat.numel()) @ finite).tolist() if flat.numel() else [0.0] * WIDTH
    scale = float(finite.abs().max()) if flat.numel() else 0.0
    return Print(_code("|".join(words)), tuple(along), scale)


def could_match(wanted: Print, precision: torch.dtype, found: Print, probe: Probe) -> bool:
    """False only where `match` would say that the observation is not as predicted."""
    if wanted.code == OPEN:
        return True
    if wanted.code != found.code:
        return False
    allowed = FACTOR[precision] * max(1.0, probe.condition / 50)
    bound = (2.0 * allowed + STORED) * max(1.0, wanted.scale, found.scale)
    return all(abs(a - b) <= bound for a, b in zip(wanted.along, found.along))


def _leaves(value: Any) -> Iterator[Any]:
    """The parts of a tree in order, with marks for its form; a list counts as a tuple, as in `match`."""
    if isinstance(value, (list, tuple)):
        yield f"({len(value)}"
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        yield f"{{{len(value)}"
        for key in sorted(value, key=str):
            yield key
            yield from _leaves(value[key])
    else:
        yield value


def _code(words: str) -> int:
    return zlib.crc32(words.encode()) or 1  # 0 stands for OPEN


@functools.lru_cache(maxsize=256)
def _weights(length: int) -> Tensor:
    """Fixed weights (WIDTH, length) whose absolute values sum to one: then no projection of a
    difference is larger than the largest single difference."""
    generator = torch.Generator().manual_seed(length)
    weights = torch.randn(WIDTH, length, generator=generator, dtype=torch.float64)
    return weights / weights.abs().sum(dim=1, keepdim=True)
