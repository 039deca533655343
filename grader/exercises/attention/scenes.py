"""Where the attention of five queries goes: without a mask, with a causal one, with padding."""

from __future__ import annotations

import torch

from grader.exercises.attention.probes import case, tensors
from grader.exercises.scene import KEY, QUERY, Scene, first, forbidding, numbered
from grader.text import Text

__all__ = ["SCENES"]

L, PADDED = 5, 2
ARGS = tensors(61, (1, 1), L, L, 4, 3, spread=1.3)
KEEP_PAST = torch.ones(L, L, dtype=torch.bool).tril()
KEEP_REAL = (torch.arange(L) < L - PADDED)[None, None]  # (1, 1, L): the last two keys are padding


def _scene(title: Text, mask: torch.Tensor | None, forbidden: torch.Tensor | None) -> Scene:
    probe = case("scene", title.en, title.zh, ARGS, mask=mask)
    labels = numbered(L)
    return Scene(title, "weights", (probe,), first, QUERY, KEY, labels, labels, forbidden=forbidden, output=1)


SCENES = (
    _scene(Text("Weights without a mask", "没有掩码时的权重"), None, None),
    _scene(Text("Weights with a causal mask", "因果掩码下的权重"), KEEP_PAST, forbidding(L, causal=True)),
    _scene(
        Text("Weights where the last two keys are padding", "最后两个键是填充时的权重"),
        KEEP_REAL,
        forbidding(L, padding=PADDED),
    ),
)
