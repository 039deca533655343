"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import Probe
from grader.exercises.encoder.probes import case, padded, tokens
from grader.exercises.encoder_block.probes import random_mask

__all__ = ["EXAMPLES"]

IDS = padded(tokens(71, 2, 5))  # B=2 S=5 d_model=12 H=3 d_k=4 d_ff=16 max_len=9 vocab_size=11
SIZES: dict[str, Any] = {"d_model": 12, "heads": 3, "d_ff": 16, "max_len": 9, "dtype": torch.float32}
EXAMPLES: tuple[Probe, ...] = (
    case("traced-post", "post-LN with padding", "带填充的 post-LN", IDS, norm_first=False, **SIZES),
    case("traced-pre", "pre-LN with padding", "带填充的 pre-LN", IDS, norm_first=True, **SIZES),
    case(
        "traced-mask",
        "a mask that is given",
        "给出掩码",
        tokens(72, 2, 5),
        norm_first=False,
        mask=random_mask(73, 5, 5),
        **SIZES,
    ),
)
