"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.attention.probes import DROP, case, random_mask, tensors

__all__ = ["EXAMPLES"]

GIVEN = tensors(71, (2, 3), 5, 7, 4, 9, torch.float32)  # B=2 H=3 L=5 S=7 d_k=4 d_v=9
KEPT = random_mask(72, 2, 1, 5, 7)
EXAMPLES: tuple[Probe, ...] = (
    case("traced-mask", "a boolean mask", "布尔掩码", GIVEN, mask=KEPT),
    case("traced-plain", "no mask", "不带掩码", GIVEN),
    case("traced-int", "a 0/1 integer mask", "0/1 整数掩码", GIVEN, mask=KEPT.long()),
    case("traced-dropout", "a dropout callable", "带 dropout", GIVEN, mask=KEPT, dropout=DROP),
)
