"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

from grader.diagnosis.model import Probe
from grader.exercises.training.drawing import (
    costing,
    decoding,
    logits,
    stepping,
    targeting,
    tokens,
    toy,
    wanted,
)
from grader.exercises.training.probes import batches, chatty, prompt

__all__ = ["EXAMPLES"]

V = 7
EXAMPLES: tuple[Probe, ...] = (
    targeting("traced-targets", "padding in every row", "每行都有填充", tokens(601, 2, 5)),
    targeting("traced-pad-id", "pad_id = 3", "pad_id = 3", tokens(602, 2, 5, pad_id=3), pad_id=3),
    costing(
        "traced-loss", "some targets ignored", "部分目标被忽略", logits(603, 2, 5, V), wanted(603, 2, 5, V=V)
    ),
    stepping("traced-step", "one step", "一步", toy(604, V=V, d=3), batches(604, 1, 2, 5, V)),
    decoding("traced-decode", "a prompt (2, 5)", "提示 (2, 5)", chatty(118), prompt(118, 2, 5), 3),
    decoding("traced-end", "eos_id = 2", "eos_id = 2", chatty(25), prompt(25, 3, 4), 7, eos_id=2),
)
