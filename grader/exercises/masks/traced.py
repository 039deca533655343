"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.masks.probes import applying, causal_case, combining, keep_mask, padding_case, tokens

__all__ = ["EXAMPLES"]

GENERATOR = torch.Generator().manual_seed(70)
SCORES = torch.randn(2, 3, 5, 7, generator=GENERATOR)  # B=2 H=3 L=5 S=7
PADDING = tokens(72, 2, 5)[:, None, None, :] != 0
CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
EXAMPLES: tuple[Probe, ...] = (
    applying("traced-apply", "scores with heads", "带头的分数", SCORES, keep_mask(73, 2, 1, 5, 7)),
    applying("traced-int", "a 0/1 integer mask", "0/1 整数掩码", SCORES, keep_mask(74, 5, 7).long()),
    combining("traced-combine", "padding and a causal mask", "填充掩码和因果掩码", PADDING, CAUSAL),
    causal_case("traced-causal", 5),
    padding_case("traced-padding", "padding in every row", "每行都有填充", tokens(71, 2, 5)),
    padding_case("traced-pad-id", "pad_id = 3", "pad_id = 3", tokens(75, 2, 5, 3), pad_id=3),
)
