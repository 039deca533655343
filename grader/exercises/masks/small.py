"""Small inputs of the mask functions, for `grade repro`."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from grader.exercises.small import Axes, Case, Small, keep_mask, start, turned, whole
from grader.submission.client import Device
from grader.text import Text

__all__ = ["SMALL"]

KINDS = (torch.bool, torch.int64, torch.uint8, torch.float32)
HALVES = (torch.float16, torch.bfloat16)


def _padding() -> Iterator[Case]:
    rows = ([[5]], [[0]], [[5, 0]], [[0, 5]], [[0, 5, 0]], [[5], [0]], [[5, 0], [0, 5]], [[1, 2], [3, 0]])
    more = ([[5, 0, 6]], [[5, 0, 0], [6, 7, 0]], [[5, 0], [6, 7], [8, 0]], [[0, 0]])
    for row in (*rows, *more):
        ids = torch.tensor(row)
        yield start("padding_mask", ids)
        yield start("padding_mask", ids, kwargs={"pad_id": 5})
        yield start("padding_mask", ids, 5)
        yield start("padding_mask", turned(ids))


def _causal() -> Iterator[Case]:
    for size in (1, 2, 3, 4):
        yield start("causal_mask", size)
        yield start("causal_mask", size, kwargs={"device": Device("cpu")})
    yield start("causal_mask", 1, kwargs={"device": Device("meta")}, device="meta")


def _pair(draw: int, B: int, S: int, kind: torch.dtype = torch.bool) -> tuple[Tensor, Tensor]:
    """A padding mask (B, 1, 1, S) and the causal mask (S, S)."""
    return keep_mask(draw, B, 1, 1, S).to(kind), torch.ones(S, S).tril().to(kind)


def _combining(draw: int) -> Iterator[Case]:
    for B, S in ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (2, 3), (3, 2)):
        padding, causal = _pair(draw, B, S)
        yield start("combine_masks", padding, causal)
        yield start("combine_masks", padding[:1].expand(B, 1, 1, S), causal)
        for kind in (torch.int64, torch.uint8):
            yield start("combine_masks", *_pair(draw, B, S, kind), tier="edge")
        yield start("combine_masks", padding, causal.long(), tier="edge")
        yield start("combine_masks", padding.long(), causal, tier="edge")


def _applying(draw: int) -> Iterator[Case]:
    shapes = ((1, 1), (1, 2), (2, 2), (2, 3), (1, 1, 2), (2, 1, 2), (2, 2, 2), (1, 1, 1, 2), (2, 1, 1, 2))
    for shape in (*shapes, (1, 2, 1, 2), (1, 1, 2, 2), (1, 1, 1, 1, 2)):
        masks = [keep_mask(draw, *shape), keep_mask(draw, *shape[-2:]), keep_mask(draw, 1, shape[-1])]
        masks += [keep_mask(draw, shape[0], *(1 for _ in shape[1:-1]), shape[-1])]
        scores, everything = whole(draw, *shape), torch.ones(shape[-2:], dtype=torch.bool)
        for mask in masks:
            yield start("apply_mask", scores, mask, condition=1.0)
        for kind in KINDS[1:]:
            yield start("apply_mask", scores, masks[0].to(kind), condition=1.0)
        yield start("apply_mask", scores, everything, condition=1.0, seed=torch.ones(shape))
        yield start("apply_mask", scores, everything, condition=1.0)
        yield start("apply_mask", scores, ~everything, condition=1.0)
        if len(shape) < 4:
            yield start("apply_mask", turned(scores), masks[0], condition=1.0)
            yield start("apply_mask", scores.double(), masks[0], condition=1.0)
            for dtype in HALVES:
                yield start("apply_mask", scores.to(dtype), masks[0], condition=1.0, tier="edge")


def starts() -> Iterator[Case]:
    """All of them; the search takes them in order of size."""
    yield from _padding()
    yield from _causal()
    for draw in (1, 2):
        yield from _combining(draw)
        yield from _applying(draw)


LEAD = ("c", "b", "a")
AXES = {
    "padding_mask": Axes({"token_ids": ("B", "S")}),
    "combine_masks": Axes({"padding": ("B", "-", "-", "S"), "causal": ("S", "S")}),
    "apply_mask": Axes({"scores": (*LEAD, "L", "S"), "mask": (*LEAD, "L", "S")}, loose=LEAD),
}
MEANING = {
    "padding_mask.result": Text(
        "[b, 0, 0, j] is True where token j of sequence b may be attended, that is, where it is no padding",
        "[b, 0, 0, j] 为 True 表示序列 b 的第 j 个词元可以被关注，即它不是填充",
    ),
    "causal_mask.result": Text(
        "[i, j] is True where position i may look at position j: itself and what comes before",
        "[i, j] 为 True 表示位置 i 可以看到位置 j：它自己和之前的位置",
    ),
    "combine_masks.result": Text(
        "[b, 0, i, j] is True where both masks let position i look at token j of sequence b",
        "[b, 0, i, j] 为 True 表示两个掩码都允许序列 b 的位置 i 看到词元 j",
    ),
    "apply_mask.result": Text(
        "a score stays as it is where the mask allows, and is -inf where it does not",
        "掩码允许处分数不变，不允许处为 -inf",
    ),
}
SMALL = Small(starts, AXES, MEANING)
