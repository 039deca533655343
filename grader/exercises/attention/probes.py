"""The calls that tell the faults of attention apart: every size different, masks of every kind.

Widths of keys are powers of four: `torch.sqrt(torch.tensor(d_k))`, its reciprocal and `torch.rsqrt` are right
by the contract, and have only the accuracy of float32 elsewhere.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.submission.client import Callback
from grader.text import Text

__all__ = ["DROP", "PROBES", "TARGET", "case", "random_mask", "tensors", "with_zeros"]

TARGET = "scaled_dot_product_attention"
DROP = Callback("drop_small", {"below": 0.18, "factor": 1.25})


def tensors(
    seed: int,
    lead: tuple[int, ...] = (),
    L: int = 4,
    S: int = 5,
    d_k: int = 16,
    d_v: int = 7,
    dtype: torch.dtype = torch.float64,
    spread: float = 1.5,
) -> tuple[Tensor, Tensor, Tensor]:
    """Query (*lead, L, d_k), key (*lead, S, d_k) and value (*lead, S, d_v), normally distributed."""
    g = torch.Generator().manual_seed(seed)
    query = torch.randn(*lead, L, d_k, generator=g, dtype=torch.float64) * spread
    key = torch.randn(*lead, S, d_k, generator=g, dtype=torch.float64) * spread
    value = torch.randn(*lead, S, d_v, generator=g, dtype=torch.float64)
    return query.to(dtype), key.to(dtype), value.to(dtype)


def random_mask(seed: int, *shape: int, full: bool = True) -> Tensor:
    """A boolean keep mask; with `full`, every row and every column keeps something, and every row
    loses something (an empty column would be NaN or not in a softmax over queries, by the fill)."""
    g = torch.Generator().manual_seed(seed)
    mask = torch.rand(*shape, generator=g) < 0.55
    if full:
        rows = torch.arange(shape[-2])[:, None]
        columns = torch.arange(shape[-1])[None, :]
        kept = (columns == rows % shape[-1]) | (rows == columns % shape[-2])
        mask = (mask | kept) & (columns != (rows + 2) % shape[-1])
    return mask


def with_zeros(args: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """The same, with the second query and key at right angles: a score of 0 is a score like any other."""
    query, key, value = (t.clone() for t in args)
    half = query.shape[-1] // 2
    query[..., 1, :half] = 0.0
    key[..., 1, half:] = 0.0
    return query, key, value


def case(
    name: str,
    en: str,
    zh: str,
    args: tuple[Tensor, ...],
    *,
    mask: Tensor | None = None,
    dropout: Callback | None = None,
    grad: bool = False,
    tier: str = "core",
    condition: float = 20.0,
) -> Probe:
    """A probe of the function."""
    kwargs: dict[str, object] = {}
    if mask is not None:
        kwargs["mask"] = mask
    if dropout is not None:
        kwargs["dropout"] = dropout
    return Probe(name, TARGET, Text(en, zh), args, kwargs, grad=grad, tier=tier, condition=condition)


def low_logits(seed: int) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
    """Allowed scores between -200 and -195, forbidden ones up to 50: a fill that is too weak shows."""
    g = torch.Generator().manual_seed(seed)
    mask = random_mask(seed, 4, 5)
    wanted = torch.where(
        mask,
        -200 + 5 * torch.rand(2, 4, 5, generator=g, dtype=torch.float64),
        50 * torch.rand(2, 4, 5, generator=g, dtype=torch.float64),
    )
    key = torch.eye(5, 16, dtype=torch.float64).expand(2, 5, 16).clone()
    query = torch.cat([wanted * 4.0, torch.zeros(2, 4, 11, dtype=torch.float64)], dim=-1)
    value = torch.randn(2, 5, 7, generator=g, dtype=torch.float64)
    return (query, key, value), mask


def _empty_row() -> Tensor:
    mask = random_mask(31, 2, 4, 5)
    mask[0, 1] = False
    mask[1, 3] = False
    return mask


def _one_whole_row() -> Tensor:
    """One mask for the batch whose first query may see every key: a NaN in the fill is not everywhere."""
    mask = random_mask(22, 4, 5)
    mask[0] = True
    return mask


def _turned(seed: int) -> tuple[Tensor, ...]:
    """Inputs that do not lie in one piece in memory, as after splitting heads by a transposition."""
    return tuple(t.transpose(1, 2).contiguous().transpose(1, 2) for t in tensors(seed, (2, 3)))


def _infinite() -> tuple[Tensor, Tensor, Tensor]:
    """The last key is infinite: only the last query may see it.  A fill of zero hides an infinite
    score, a product with zero gives NaN."""
    query, key, value = tensors(19, (2,), 5, 5)
    key[:, -1] = math.inf
    return query, key, value


_low, _low_mask = low_logits(8)
_mask = random_mask(21, 2, 1, 4, 5)

PROBES: tuple[Probe, ...] = (
    case(
        "plain", "three-dimensional input without a mask", "没有掩码的三维输入", tensors(1, (2,)), grad=True
    ),
    case("heads", "input with heads (2, 3, L, d_k)", "带多头的输入 (2, 3, L, d_k)", tensors(2, (2, 3))),
    case("flat", "input without leading dimensions", "没有前导维度的输入", tensors(3)),
    case("five", "five-dimensional input", "五维输入", tensors(4, (2, 1, 3))),
    case("mask", "a boolean mask", "布尔掩码", tensors(5, (2, 3)), mask=_mask, grad=True),
    case("mask-int", "a 0/1 integer mask", "0/1 整数掩码", tensors(6, (2, 3)), mask=_mask.long()),
    case("mask-float", "a 0/1 float mask", "0/1 浮点掩码", tensors(7, (2, 3)), mask=_mask.double()),
    case(
        "mask-plain",
        "one (L, S) mask for the whole batch",
        "整个批次共用一个 (L, S) 掩码",
        with_zeros(tensors(9, (3,))),
        mask=_one_whole_row(),
    ),
    case("turned", "transposed input", "转置得到的输入", _turned(30), mask=_mask),
    case(
        "low",
        "allowed scores far below the forbidden ones",
        "允许位置的分数远低于被屏蔽位置的分数",
        _low,
        mask=_low_mask,
        condition=250,
    ),
    case("dropout", "a dropout callable", "传入 dropout 函数", tensors(10, (2,)), dropout=DROP, grad=True),
    case(
        "dropout-mask",
        "a dropout callable and a mask",
        "同时传入 dropout 函数和掩码",
        tensors(11, (2, 3)),
        mask=random_mask(32, 3, 4, 5),
        dropout=DROP,
    ),
    case(
        "square",
        "input whose sizes are all equal (4, 4, 4)",
        "各维大小都相同的输入 (4, 4, 4)",
        tensors(12, (4,), 4, 4, 4, 4),
    ),
    case(
        "square-four",
        "input whose sizes are all equal (4, 4, 4, 4)",
        "各维大小都相同的输入 (4, 4, 4, 4)",
        tensors(13, (4, 4), 4, 4, 4, 4),
        mask=random_mask(23, 4, 4, 4, 4),
    ),
    case(
        "float32",
        "float32 input",
        "float32 输入",
        tensors(14, (2,), dtype=torch.float32),
    ),
    case(
        "mask-square",
        "one square mask for the whole batch",
        "整个批次共用一个方形掩码",  # without leading dimensions
        tensors(28, (3,), 5, 5),
        mask=random_mask(26, 5, 5),
    ),
    case(
        "odd-width",
        "float32 input whose keys have width 6",
        "键宽度为 6 的 float32 输入",  # no square: a rounded root shows
        tensors(27, (2, 3), d_k=6, dtype=torch.float32),
    ),
    case(
        "infinite-key",
        "an infinite score under the mask",
        "被掩码遮住的分数是无穷大",
        _infinite(),
        mask=torch.ones(5, 5).tril().bool(),
        tier="tie",
    ),
    case(
        "empty-row",
        "a query that may attend to nothing",
        "某个查询没有任何可关注的键",
        tensors(15, (2,)),
        mask=_empty_row(),
        tier="edge",
    ),
    case(
        "empty-all",
        "a mask that forbids everything",
        "全部禁止的掩码",
        tensors(29, (2,)),
        mask=torch.zeros(4, 5, dtype=torch.bool),
        tier="edge",
    ),
    case(
        "empty-row-grad",
        "the gradient when a query may attend to nothing",
        "某个查询没有任何可关注的键时的梯度",
        tensors(15, (2,)),
        mask=_empty_row(),
        tier="edge",
        grad=True,
    ),
    case(
        "half",
        "float16 input with a mask",
        "带掩码的 float16 输入",
        tensors(16, (2,), dtype=torch.float16, spread=0.7),
        mask=random_mask(24, 4, 5),
        tier="edge",
        condition=3.0,
    ),
    case(
        "bfloat16",
        "bfloat16 input with a mask",
        "带掩码的 bfloat16 输入",
        tensors(17, (2,), dtype=torch.bfloat16, spread=0.7),
        mask=random_mask(25, 4, 5),
        tier="edge",
        condition=3.0,
    ),
    case(
        "huge",
        "scores of magnitude 1e4",
        "数量级为 1e4 的分数",
        tuple(t * s for t, s in zip(tensors(18, (2,)), (80.0, 80.0, 1.0))),
        tier="edge",
        condition=2e4,
    ),
    case(
        "underflow",
        "allowed scores a thousand below the forbidden ones",
        "允许位置的分数比被屏蔽位置低一千",
        (_low[0] * 8, _low[1], _low[2]),
        mask=_low_mask,
        tier="edge",
        condition=2000,
    ),
)
