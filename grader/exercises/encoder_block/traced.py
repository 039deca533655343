"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

from typing import Any

import torch

from grader.diagnosis.model import Probe
from grader.exercises.encoder_block.probes import CONSTANT, block_case, feed_case, inputs, random_mask

__all__ = ["EXAMPLES"]

X = inputs(71, 2, 5, 12, torch.float32)  # B=2 S=5 d_model=12 H=3 d_k=4 d_ff=16
KEPT = random_mask(72, 2, 1, 1, 5)
SIZES: dict[str, Any] = {"heads": 3, "d_ff": 16}
EXAMPLES: tuple[Probe, ...] = (
    feed_case("traced-ffn", "the feed-forward network", "前馈网络", X, d_ff=16),
    block_case(
        "traced-post", "post-LN with a mask", "带掩码的 post-LN", X, norm_first=False, mask=KEPT, **SIZES
    ),
    block_case("traced-pre", "pre-LN with a mask", "带掩码的 pre-LN", X, norm_first=True, mask=KEPT, **SIZES),
    block_case("traced-plain", "no mask", "不带掩码", X, norm_first=False, **SIZES),
    *(
        block_case(
            f"traced-{mode}", en, zh, X, norm_first=False, zero=CONSTANT, dropout=1.0, train=train, **SIZES
        )
        for mode, en, zh, train in (
            ("dropped", "dropout in training", "训练模式的 dropout", True),
            ("eval", "dropout in eval mode", "eval 模式的 dropout", False),
        )
    ),
)
