"""Where the attention of each head goes: without a mask, and with a causal one and padding."""

from __future__ import annotations

import torch

from grader.exercises.multi_head_attention.probes import case, tensors
from grader.exercises.scene import KEY, QUERY, Scene, first, forbidding, numbered
from grader.text import Text

__all__ = ["SCENES"]

S, HEADS = 5, 2
X = tensors(71, 1, S, S, 8)[0]
# the last key is padding, which no query may see
KEEP = torch.ones(S, S, dtype=torch.bool).tril() & (torch.arange(S) < S - 1)
PARTS = tuple(Text(f"head {h + 1}", f"第 {h + 1} 头") for h in range(HEADS))


def _scene(title: Text, mask: torch.Tensor | None, forbidden: torch.Tensor | None) -> Scene:
    probe = case("scene", title.en, title.zh, (X, X, X), HEADS, mask=mask, seed=7)
    labels = numbered(S)
    return Scene(title, "weights", (probe,), first, QUERY, KEY, labels, labels, PARTS, forbidden, output=1)


SCENES = (
    _scene(Text("Weights without a mask", "没有掩码时的权重"), None, None),
    _scene(
        Text("Weights with a causal mask, the last key being padding", "因果掩码、最后一个键是填充时的权重"),
        KEEP,
        forbidding(S, causal=True, padding=1),
    ),
)
