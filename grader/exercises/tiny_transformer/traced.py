"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import Probe
from grader.exercises.tiny_transformer.probes import case, padded, scattered, tokens

__all__ = ["EXAMPLES"]

# B=2 S=5 d_model=12 H=3 d_k=4 d_ff=16 max_len=9 vocab_size=11
SIZES: dict[str, Any] = {"vocab": 11, "d_model": 12, "heads": 3, "d_ff": 16, "dtype": torch.float32}
IDS = tokens(81, 2, 5, vocab=11)
EXAMPLES: tuple[Probe, ...] = (
    case("traced-causal", "causal with padding", "因果掩码，带填充", padded(IDS, 0, 0), **SIZES),
    case(
        "traced-both-sides",
        "causal=False with padding",
        "causal=False，带填充",
        padded(IDS),
        causal=False,
        **SIZES,
    ),
    case("traced-scattered", "causal, padding in between", "因果掩码，填充在中间", scattered(IDS), **SIZES),
)
