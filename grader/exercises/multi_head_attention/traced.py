"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.multi_head_attention.probes import case, key_mask, random_mask, tensors

__all__ = ["EXAMPLES"]

GIVEN = tensors(71, 2, 5, 7, 12, dtype=torch.float32)  # B=2 L=5 S=7 H=3 d_k=4 d_model=12
SELF = (GIVEN[0],) * 3
EXAMPLES: tuple[Probe, ...] = (
    case("traced-mask", "a padding mask", "填充掩码", GIVEN, mask=key_mask(72, 2, 7)),
    case("traced-plain", "no mask", "不带掩码", GIVEN),
    case("traced-three", "a (B, L, S) mask", "(B, L, S) 掩码", GIVEN, mask=random_mask(73, 2, 5, 7)),
    case("traced-two", "an (L, S) mask", "(L, S) 掩码", GIVEN, mask=random_mask(74, 5, 7)),
    case("traced-self", "self-attention", "自注意力", SELF),
    case("traced-dropped", "dropout in training", "训练模式的 dropout", GIVEN, dropout=1.0, train=True),
    case("traced-eval", "dropout in eval mode", "eval 模式的 dropout", GIVEN, dropout=1.0),
)
