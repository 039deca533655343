"""The calls that `grade trace` shows: small, every size another number, so that shapes can be named."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.layer_norm.inputs import features, linear
from grader.exercises.layer_norm.probes import add, ln

__all__ = ["EXAMPLES"]

X = features(71, 2, 5, 7, dtype=torch.float32)  # B=2 S=5 d_model=7
LINEAR = linear(72, 7)
EXAMPLES: tuple[Probe, ...] = (
    ln("traced-norm", "three-dimensional input", "三维输入", X, eps=0.4),
    ln(
        "traced-eps", "the default eps", "默认的 eps", features(73, 2, 5, 7, spread=2e-3, dtype=torch.float32)
    ),
    add("traced-post", "post-LN", "post-LN", X, LINEAR, init={"norm_first": False}),
    add("traced-pre", "pre-LN", "pre-LN", X, LINEAR, init={"norm_first": True}),
    add(
        "traced-dropped",
        "dropout in training",
        "训练模式的 dropout",
        X,
        LINEAR,
        init={"dropout": 1.0},
        train=True,
    ),
    add("traced-eval", "dropout in eval mode", "eval 模式的 dropout", X, LINEAR, init={"dropout": 1.0}),
)
