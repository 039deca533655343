"""Which positions a position's result depends on, under a causal mask and padding."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.exercises.encoder_block.probes import block_case, inputs
from grader.exercises.scene import POSITION, Scene, forbidding, influence, numbered
from grader.text import Text

__all__ = ["SCENES"]

S = 5
OPEN_EPS = 5e-3  # the eps of the norms is open
X = inputs(95, 1, S)
KEEP = torch.ones(S, S, dtype=torch.bool).tril() & (torch.arange(S) < S - 1)  # the last is padding


def _changed(column: int) -> Tensor:
    """X with other features at one position."""
    x = X.clone()
    x[:, column] = inputs(96 + column, 1, 1)[:, 0]
    return x


def _scene(norm_first: bool, order: str) -> Scene:
    title = Text(
        f"How a position's result changes with each position ({order}, causal mask, the last is padding)",
        f"一个位置的结果随各位置如何变化（{order}，因果掩码，最后一个是填充）",
    )
    probes = tuple(
        block_case(f"scene-{n}", title.en, title.zh, x, norm_first=norm_first, mask=KEEP, seed=9)
        for n, x in enumerate([X, *(_changed(c) for c in range(S))])
    )
    return Scene(
        title,
        "influence",
        probes,
        influence,
        POSITION,
        Text("changed position", "被改变的位置"),
        numbered(S),
        numbered(S),
        # the residual connection lets even a padded position see itself
        forbidden=forbidding(S, causal=True, padding=1, diagonal=False),
        alike=OPEN_EPS,
    )


SCENES = (_scene(False, "post-LN"), _scene(True, "pre-LN"))
