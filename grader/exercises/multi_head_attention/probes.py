"""The calls that tell the faults of multi-head attention apart.

Most have no two sizes equal (B=2, H=3, L=6, S=5, d_k=4); some have B == H, L == S, or all equal, where
wrong axes raise nothing.  Head widths are powers of four: `torch.sqrt(torch.tensor(d_k))`, its reciprocal
and `torch.rsqrt` are right by the contract, and have only the accuracy of float32 elsewhere.
"""

from __future__ import annotations

import torch
from torch import Tensor

from grader.diagnosis.model import Probe
from grader.exercises.attention.probes import random_mask
from grader.submission.fixed import fixed
from grader.text import Text

__all__ = [
    "PROBES",
    "TARGET",
    "case",
    "construct",
    "empty_rows",
    "key_mask",
    "low_logits",
    "projections",
    "random_mask",
    "tensors",
]

TARGET = "MultiHeadAttention"
NAMES = ("W_q", "W_k", "W_v", "W_o")


@fixed
def projections(
    seed: int, d_model: int, *, bias: bool = True, dtype: torch.dtype = torch.float64
) -> dict[str, Tensor]:
    """Random weights, and biases that are not zero, for the state dict."""
    g = torch.Generator().manual_seed(seed)
    state = {}
    for name in NAMES:
        weight = torch.randn(d_model, d_model, generator=g, dtype=torch.float64) * (1.3 / d_model**0.5)
        state[f"{name}.weight"] = weight.to(dtype)
        shift = torch.randn(d_model, generator=g, dtype=torch.float64) * 0.5
        if bias:
            state[f"{name}.bias"] = shift.to(dtype)
    return state


def tensors(
    seed: int,
    B: int = 2,
    L: int = 6,
    S: int = 5,
    d_model: int = 12,
    *,
    dtype: torch.dtype = torch.float64,
    spread: float = 1.2,
) -> tuple[Tensor, Tensor, Tensor]:
    """Query (B, L, d_model), key and value (B, S, d_model), normally distributed."""
    g = torch.Generator().manual_seed(seed)
    query, key, value = (
        torch.randn(B, n, d_model, generator=g, dtype=torch.float64) * spread for n in (L, S, S)
    )
    return query.to(dtype), key.to(dtype), value.to(dtype)


def case(
    name: str,
    en: str,
    zh: str,
    args: tuple[Tensor, Tensor, Tensor],
    heads: int = 3,
    *,
    mask: Tensor | None = None,
    dropout: float | None = None,
    bias: bool = True,
    train: bool = False,
    grad: bool = False,
    tier: str = "core",
    condition: float = 20.0,
    state: dict[str, Tensor] | None = None,
    seed: int = 1,
) -> Probe:
    """A probe of `forward`; settings that are left at their defaults are not passed."""
    d_model, dtype = args[0].shape[-1], args[0].dtype
    init: dict[str, object] = {"d_model": d_model, "num_heads": heads}
    if dropout is not None:
        init["dropout"] = dropout
    if not bias:
        init["bias"] = False
    return Probe(
        name,
        TARGET,
        Text(en, zh),
        args,
        {} if mask is None else {"mask": mask},
        init=init,
        state=projections(seed, d_model, bias=bias, dtype=dtype) if state is None else state,
        train=train,
        dtype=str(dtype).removeprefix("torch."),
        grad=grad,
        tier=tier,
        condition=condition,
    )


def construct(name: str, en: str, zh: str, **init: object) -> Probe:
    """A probe that only constructs: it sees the state dict, or the exception."""
    return Probe(name, TARGET, Text(en, zh), init=init)


def low_logits(
    seed: int, times: float = 1.0
) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor, dict[str, Tensor]]:
    """Arguments, mask and state (two heads, d_k = 16): allowed scores between -200 and -150 and
    forbidden ones up to 50, so that a finite fill shows."""
    g = torch.Generator().manual_seed(seed)
    mask = random_mask(seed, 4, 5)
    wanted = torch.where(
        mask,
        -200 + 50 * torch.rand(2, 2, 4, 5, generator=g, dtype=torch.float64),
        50 * torch.rand(2, 2, 4, 5, generator=g, dtype=torch.float64),
    )
    padding = torch.zeros(2, 2, 4, 11, dtype=torch.float64)
    heads = torch.cat([wanted * 4.0 * times, padding], dim=-1)  # (B, H, L, d_k)
    query = heads.transpose(1, 2).reshape(2, 4, 32)
    key = torch.eye(5, 16, dtype=torch.float64).repeat(1, 2).expand(2, 5, 32).clone()
    value = torch.randn(2, 5, 32, generator=g, dtype=torch.float64)
    state = dict(projections(seed, 32))
    for name in ("W_q", "W_k"):  # identities, so that the scores are those wanted
        state[f"{name}.weight"] = torch.eye(32, dtype=torch.float64)
        state[f"{name}.bias"] = torch.zeros(32, dtype=torch.float64)
    return (query, key, value), mask, state


def key_mask(seed: int, B: int, S: int) -> Tensor:
    """(B, 1, S): each sample keeps some keys and loses others, and no two samples the same."""
    columns = torch.arange(S)
    lost = (columns[None, :] + torch.arange(B)[:, None] + seed) % S < 2
    return ~lost[:, None, :]


def empty_rows(seed: int) -> Tensor:
    """(B, L, S) with two queries that may attend to nothing."""
    mask = random_mask(seed, 2, 6, 5)
    mask[0, 1] = False
    mask[1, 3] = False
    return mask


_self = tensors(8, 2, 5, 5, 32)[0]
_low, _low_mask, _low_state = low_logits(8)
_deep, _deep_mask, _deep_state = low_logits(8, 8.0)
_four = random_mask(41, 2, 1, 6, 5)
_huge = tensors(30)
_endless = tensors(31)
_endless[1][:, 3] = torch.inf  # zero times infinity is NaN, a filled score is not

PROBES: tuple[Probe, ...] = (
    case("plain", "cross-attention without a mask", "没有掩码的交叉注意力", tensors(1)),
    construct("made", "the constructor", "构造", d_model=12, num_heads=3),
    construct(
        "made-bias",
        "the constructor with bias=False",
        "bias=False 的构造",
        d_model=12,
        num_heads=3,
        bias=False,
    ),
    construct("indivisible", "10 features for 4 heads", "10 个特征分给 4 个头", d_model=10, num_heads=4),
    case("mask-heads", "a mask for each head", "每头一张掩码", tensors(3), mask=random_mask(42, 2, 3, 6, 5)),
    case("mask-two", "one (L, S) mask", "一个 (L, S) 掩码", tensors(4), mask=random_mask(43, 6, 5)),
    case("mask-three", "a (B, L, S) mask", "(B, L, S) 掩码", tensors(5), mask=random_mask(44, 2, 6, 5)),
    case("mask-keys", "a (B, 1, S) mask", "(B, 1, S) 掩码", tensors(6), mask=key_mask(0, 2, 5)),
    case(
        "mask-three-equal",
        "a (B, L, S) mask with B == H",
        "B == H 时的 (B, L, S) 掩码",
        tensors(7, 3),
        mask=random_mask(45, 3, 6, 5),
    ),
    case("self", "self-attention", "自注意力", (_self, _self, _self), 2),
    case(
        "square-three",
        "a (B, L, S) mask with L == S",
        "L == S 时的 (B, L, S) 掩码",
        tensors(10, 3, 5, 5),
        mask=random_mask(46, 3, 5, 5),
    ),
    case(
        "square-keys",
        "a (B, 1, S) mask with L == S",
        "L == S 时的 (B, 1, S) 掩码",
        tensors(11, 2, 5, 5),
        mask=key_mask(2, 2, 5),
    ),
    case(
        "square-two",
        "an (L, S) mask with L == S",
        "L == S 时的 (L, S) 掩码",
        tensors(12, 5, 5, 5),  # B == L as well: it is no padding
        mask=random_mask(47, 5, 5),
    ),
    case("equal", "input whose sizes are all 4", "各维大小都是 4 的输入", tensors(13, 4, 4, 4, 16), 4),
    case(
        "equal-mask",
        "input whose sizes are all 4, with a mask",
        "各维大小都是 4、带掩码的输入",
        tensors(14, 4, 4, 4, 16),
        4,
        mask=random_mask(48, 4, 1, 4, 4),
    ),
    case("mask-int", "a 0/1 integer mask", "0/1 整数掩码", tensors(15), mask=_four.long()),
    case("mask-float", "a 0/1 float mask", "0/1 浮点掩码", tensors(16), mask=_four.double()),
    case(
        "low",
        "allowed scores far below the forbidden ones",
        "允许位置的分数远低于被屏蔽位置的分数",
        _low,
        2,
        mask=_low_mask,
        state=_low_state,
        condition=250,
    ),
    case(
        "dropout",
        "training mode with dropout=1.0",
        "训练模式，dropout=1.0",
        tensors(17),
        dropout=1.0,
        train=True,
    ),
    case(
        "dropout-mask",
        "training mode with dropout=1.0 and a mask",
        "训练模式，dropout=1.0，带掩码",
        tensors(18),
        mask=_four,
        dropout=1.0,
        train=True,
    ),
    case(
        "dropout-half",
        "training mode with dropout=0.5",
        "训练模式，dropout=0.5",
        tensors(17),
        dropout=0.5,
        train=True,
        tier="tie",
    ),
    case(
        "endless",
        "a forbidden key whose features are infinite",
        "被屏蔽的键，其特征为无穷大",
        _endless,
        mask=torch.tensor([True, True, True, False, True]).expand(6, 5).clone(),
        tier="tie",
    ),
    case("dropout-eval", "eval mode with dropout=1.0", "eval 模式，dropout=1.0", tensors(19), dropout=1.0),
    case(
        "train",
        "training mode with dropout=0.0 and a mask",
        "训练模式，dropout=0.0，带掩码",
        tensors(20),
        mask=_four,
        dropout=0.0,
        train=True,
    ),
    case("grad-mask", "the gradients with a mask", "带掩码时的梯度", tensors(22), mask=_four, grad=True),
    case("float32", "float32 input", "float32 输入", tensors(23, dtype=torch.float32)),
    case(
        "one-sample",
        "one sample in float32 and heads of width 6",
        "float32 的单个样本，每头宽度为 6",  # no square: a rounded root shows
        tensors(27, 1, 6, 5, 18, dtype=torch.float32),
    ),
    case(
        "empty-row",
        "a query that may attend to nothing",
        "某个查询没有任何可关注的键",
        tensors(24),
        mask=empty_rows(49),
        tier="edge",
    ),
    case(
        "empty-row-grad",
        "the gradient when a query may attend to nothing",
        "某个查询没有任何可关注的键时的梯度",
        tensors(24),
        mask=empty_rows(49),
        tier="edge",
        grad=True,
    ),
    case(
        "half",
        "float16 input with a mask",
        "带掩码的 float16 输入",
        tensors(25, dtype=torch.float16, spread=0.7),
        mask=_four,
        tier="edge",
        condition=3.0,
    ),
    case(
        "bfloat16",
        "bfloat16 input with a mask",
        "带掩码的 bfloat16 输入",
        tensors(26, dtype=torch.bfloat16, spread=0.7),
        mask=_four,
        tier="edge",
        condition=3.0,
    ),
    case(
        "huge",
        "scores of magnitude 1e4",
        "数量级为 1e4 的分数",
        (_huge[0] * 80, _huge[1] * 80, _huge[2]),
        tier="edge",
        condition=2e4,
    ),
    case(
        "underflow",
        "allowed scores a thousand below the forbidden ones",
        "允许位置的分数比被屏蔽位置低一千",
        _deep,
        2,
        mask=_deep_mask,
        state=_deep_state,
        tier="edge",
        condition=2000,
    ),
)
