"""What the masks allow, and the attention that follows from a mask that is applied."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader.exercises.masks.probes import applying, causal_case, combining, padding_case
from grader.exercises.scene import KEY, POSITION, QUERY, Scene, first, forbidding, numbered
from grader.text import Text

__all__ = ["SCENES"]

S, PADDED = 5, 2
IDS = torch.tensor([[7, 3, 9, 0, 0], [4, 8, 0, 0, 0]])
KEEP_REAL = (torch.arange(S) < S - PADDED)[None, None, None]  # (1, 1, 1, S)
KEEP_PAST = torch.ones(S, S, dtype=torch.bool).tril()
SCORES = torch.randn(1, S, S, generator=torch.Generator().manual_seed(81), dtype=torch.float64) * 1.5


def _kept(results: Sequence[Tensor]) -> Tensor:
    return first(results).double()


def _by_sequence(results: Sequence[Tensor]) -> Tensor:
    return results[0].double().reshape(1, *IDS.shape)


def _shares(results: Sequence[Tensor]) -> Tensor:
    """The weights that follow from the masked scores."""
    return torch.softmax(first(results).double(), dim=-1)


LABELS = numbered(S)
BOTH = forbidding(S, causal=True, padding=PADDED)
PADDING = Text("padding_mask: which tokens may be seen", "padding_mask：哪些词元可见")
CAUSAL = Text("causal_mask: which keys may be seen", "causal_mask：哪些键可见")
COMBINED = Text(
    "combine_masks: which keys may be seen, the last two being padding",
    "combine_masks：哪些键可见（最后两个是填充）",
)
APPLIED = Text("apply_mask: the weights after the softmax", "apply_mask：softmax 之后的权重")
SCENES = (
    Scene(
        PADDING,
        "keep",
        (padding_case("scene", PADDING.en, PADDING.zh, IDS),),
        _by_sequence,
        Text("sequence", "序列"),
        POSITION,
        numbered(len(IDS)),
        LABELS,
        forbidden=(IDS == 0).long() * 2,
    ),
    Scene(
        CAUSAL,
        "keep",
        (causal_case("scene", S),),
        _kept,
        QUERY,
        KEY,
        LABELS,
        LABELS,
        forbidden=forbidding(S, causal=True),
    ),
    Scene(
        COMBINED,
        "keep",
        (combining("scene", COMBINED.en, COMBINED.zh, KEEP_REAL, KEEP_PAST),),
        _kept,
        QUERY,
        KEY,
        LABELS,
        LABELS,
        forbidden=BOTH,
    ),
    Scene(
        APPLIED,
        "weights",
        (applying("scene", APPLIED.en, APPLIED.zh, SCORES, KEEP_PAST & KEEP_REAL[0, 0, 0]),),
        _shares,
        QUERY,
        KEY,
        LABELS,
        LABELS,
        forbidden=BOTH,
    ),
)
