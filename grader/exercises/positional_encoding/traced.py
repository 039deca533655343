"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.positional_encoding.probes import FIXED, LEARNED, module_case, numbers, table_case

__all__ = ["EXAMPLES"]

X = numbers(71, 2, 5, 8, dtype=torch.float32)  # B=2 S=5 d_model=8 max_len=9
EXAMPLES: tuple[Probe, ...] = (
    table_case("traced-table", 9, 8),
    module_case(FIXED, "traced-fixed", "a batch of two", "批次为 2", X),
    module_case(LEARNED, "traced-learned", "a batch of two", "批次为 2", X),
    module_case(
        FIXED, "traced-dropped", "dropout in training", "训练模式的 dropout", X, dropout=1.0, train=True
    ),
    module_case(FIXED, "traced-eval", "dropout in eval mode", "eval 模式的 dropout", X, dropout=1.0),
)
