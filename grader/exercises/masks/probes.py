"""The calls that tell the faults of the masks apart: padding anywhere, sizes unequal and equal."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.submission.client import Device
from grader.text import Text

__all__ = ["CPU", "PROBES", "applying", "causal_case", "combining", "keep_mask", "padding_case", "tokens"]

CPU = Device("cpu")


def tokens(seed: int, B: int, S: int, pad_id: int = 0, share: float = 0.35) -> Tensor:
    """Token ids (B, S) from 0 to 9, with padding before, between and after; no row is all padding."""
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, 10, (B, S), generator=g)
    ids = torch.where(ids == pad_id, pad_id + 1, ids)  # what is padding is decided next
    hidden = torch.rand(B, S, generator=g) < share
    hidden[:, seed % S] = False
    return torch.where(hidden, pad_id, ids)


def keep_mask(seed: int, *shape: int) -> Tensor:
    """A boolean keep mask; every row allows something and forbids something."""
    g = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=g) < 0.55
    rows, columns = torch.arange(shape[-2])[:, None], torch.arange(shape[-1])[None, :]
    return (mask | (columns == rows % shape[-1])) & (columns != (rows + 1) % shape[-1])


def padding_case(
    name: str, en: str, zh: str, ids: Tensor, *, pad_id: int | None = None, positional: bool = False
) -> Probe:
    """A call of `padding_mask`; without `pad_id` the default is used."""
    args: tuple[Any, ...] = (ids, pad_id) if positional else (ids,)
    kwargs = {} if positional or pad_id is None else {"pad_id": pad_id}
    return Probe(name, "padding_mask", Text(en, zh), args, kwargs)


def causal_case(name: str, size: int, *, device: bool = False) -> Probe:
    """A call of `causal_mask`, with the CPU as its device if asked."""
    en, zh = f"causal_mask({size})", f"causal_mask({size})"
    if device:
        en, zh = f"causal_mask({size}, device=cpu)", f"causal_mask({size}, device=cpu)"
    kwargs = {"device": CPU} if device else {}
    return Probe(name, "causal_mask", Text(en, zh), (size,), kwargs)


def combining(name: str, en: str, zh: str, padding: Tensor, causal: Tensor, *, tier: str = "core") -> Probe:
    """A call of `combine_masks`."""
    return Probe(name, "combine_masks", Text(en, zh), (padding, causal), tier=tier)


def applying(
    name: str,
    en: str,
    zh: str,
    scores: Tensor,
    mask: Tensor,
    *,
    grad: bool = False,
    tier: str = "core",
) -> Probe:
    """A call of `apply_mask`.  Nothing is computed, so that no rounding error is amplified."""
    return Probe(name, "apply_mask", Text(en, zh), (scores, mask), grad=grad, tier=tier, condition=1.0)


def scores(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Normally distributed scores."""
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=g, dtype=torch.float64) * 3).to(dtype)


def pair(seed: int, B: int, S: int, dtype: torch.dtype = torch.bool) -> tuple[Tensor, Tensor]:
    """A padding mask (B, 1, 1, S) and the causal mask (S, S)."""
    real = (tokens(seed, B, S) != 0)[:, None, None, :]
    return real.to(dtype), torch.ones(S, S).tril().to(dtype)


def _with_zeros() -> Tensor:
    given = scores(15, 3, 4, 5)
    given[:, ::2, ::2] = 0.0  # a score like any other
    return given


def _empty_row() -> Tensor:
    mask = keep_mask(65, 4, 5)
    mask[2] = False
    return mask


_mask = keep_mask(61, 2, 1, 4, 5)
_int, _uint = torch.int64, torch.uint8

PROBES: tuple[Probe, ...] = (
    padding_case("pad", "token ids (3, 6), padding 0", "词元 (3, 6)，填充为 0", tokens(1, 3, 6)),
    padding_case("pad-id", "pad_id=3", "pad_id=3", tokens(2, 3, 7, 3), pad_id=3),
    padding_case(
        "pad-id-positional", "pad_id 5", "pad_id 为 5", tokens(3, 2, 7, 5), pad_id=5, positional=True
    ),
    padding_case("pad-square", "token ids (5, 5)", "词元 (5, 5)", tokens(4, 5, 5, 2), pad_id=2),
    padding_case("pad-one", "a batch of one", "批次大小为 1", tokens(5, 1, 8)),
    padding_case("pad-turned", "transposed token ids", "转置得到的词元", tokens(13, 6, 3, 1).t(), pad_id=1),
    causal_case("causal", 5),
    causal_case("causal-eight", 8),
    causal_case("causal-one", 1),
    causal_case("causal-device", 6, device=True),
    combining("combine", "masks with B = 2, S = 5", "B = 2、S = 5 的掩码", *pair(6, 2, 5)),
    combining("combine-square", "masks with B = S = 4", "B = S = 4 的掩码", *pair(7, 4, 4)),
    combining("combine-one", "masks with B = 1, S = 6", "B = 1、S = 6 的掩码", *pair(8, 1, 6)),
    combining(
        "combine-int", "0/1 integer masks", "0/1 整数掩码", *pair(9, 2, 5, _int), tier="edge"
    ),
    combining("combine-uint8", "uint8 masks", "uint8 掩码", *pair(10, 3, 4, _uint), tier="edge"),
    combining(
        "combine-mixed",
        "a boolean and an integer mask",
        "一个布尔掩码和一个整数掩码",
        pair(11, 2, 5)[0],
        pair(11, 2, 5, _int)[1],
        tier="edge",
    ),
    combining(
        "combine-tie", "two integer masks", "两个整数掩码", *pair(12, 3, 5, _int), tier="tie"
    ),  # `+` of booleans is `|`: only integers tell which was written
    applying("apply", "scores (2, 3, 4, 5)", "分数 (2, 3, 4, 5)", scores(12, 2, 3, 4, 5), _mask),
    applying(
        "apply-grad",
        "a mask that allows everything",
        "全部允许的掩码",  # so that the gradient is compared where the mask allows, and only there
        scores(13, 2, 4, 5),
        torch.ones(4, 5, dtype=torch.bool),
        grad=True,
    ),
    applying("apply-plain", "scores (4, 5)", "分数 (4, 5)", scores(14, 4, 5), keep_mask(62, 4, 5)),
    applying(
        "apply-three", "scores (3, 4, 5)", "分数 (3, 4, 5)", _with_zeros(), keep_mask(63, 3, 4, 5)
    ),
    applying(
        "apply-square", "scores (4, 4, 4, 4)", "分数 (4, 4, 4, 4)",
        scores(16, 4, 4, 4, 4), keep_mask(64, 4, 1, 4, 4),
    ),
    applying(
        "apply-float32", "float32 scores", "float32 分数", scores(17, 2, 3, 4, 5, dtype=torch.float32), _mask
    ),
    applying(
        "apply-strided", "transposed scores", "转置得到的分数",
        scores(24, 2, 3, 5, 4).transpose(-2, -1), keep_mask(67, 2, 1, 4, 5),
    ),
    applying(
        "apply-turned", "scores (2, 5, 5)", "分数 (2, 5, 5)", scores(23, 2, 5, 5), keep_mask(66, 5, 5)
    ),
    applying("apply-int", "a 0/1 integer mask", "0/1 整数掩码", scores(18, 2, 3, 4, 5), _mask.to(_int)),
    applying(
        "apply-float", "a 0/1 float mask", "0/1 浮点掩码", scores(19, 2, 3, 4, 5), _mask.double()
    ),
    applying(
        "apply-empty-row", "a row that may attend to nothing", "整行被屏蔽", scores(20, 2, 4, 5), _empty_row()
    ),
    applying(
        "apply-half", "float16 scores", "float16 分数",
        scores(21, 2, 3, 4, 5, dtype=torch.float16), _mask, tier="edge",
    ),
    applying(
        "apply-bfloat16", "bfloat16 scores", "bfloat16 分数",
        scores(22, 2, 3, 4, 5, dtype=torch.bfloat16), _mask, tier="edge",
    ),
)  # fmt: skip
