"""Normalised tokens, and which tokens a token's result depends on: itself alone."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.exercises.layer_norm.inputs import features
from grader.exercises.layer_norm.probes import ln
from grader.exercises.scene import Scene, first, influence, numbered
from grader.text import Text

__all__ = ["SCENES"]

TOKENS, WIDTH = 5, 6
X = features(91, 1, TOKENS, WIDTH)
TOKEN = Text("token", "词元")
OTHERS = (1 - torch.eye(TOKENS, dtype=torch.long)) * 3


def _changed(column: int) -> Tensor:
    """X with other features for one token."""
    x = X.clone()
    x[:, column] = features(92 + column, 1, WIDTH, spread=3.0)
    return x


NORMALISED = Text("Five tokens, normalised", "归一化后的五个词元")
DEPENDS = Text("How a token's result changes with another token", "一个词元的结果随其他词元如何变化")
SCENES = (
    Scene(
        NORMALISED,
        "values",
        (ln("scene", NORMALISED.en, NORMALISED.zh, X),),
        first,
        TOKEN,
        Text("feature", "特征"),
        numbered(TOKENS),
        numbered(WIDTH),
    ),
    Scene(
        DEPENDS,
        "influence",
        tuple(
            ln(f"scene-{n}", DEPENDS.en, DEPENDS.zh, x)
            for n, x in enumerate([X, *(_changed(c) for c in range(TOKENS))])
        ),
        influence,
        TOKEN,
        Text("changed token", "被改变的词元"),
        numbered(TOKENS),
        numbered(TOKENS),
        forbidden=OTHERS,
    ),
)
