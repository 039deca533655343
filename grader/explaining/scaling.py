"""Why the scores are divided by the square root of d_k."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.explaining.records import Bar, Demonstration, bars, row, table
from grader.text import Text

__all__ = ["entropy", "scale"]

WIDTHS = (4, 16, 64, 256, 1024)
QUERIES, KEYS = 256, 16


def entropy(weights: Tensor) -> float:
    """The mean entropy of the rows, in bits: how many keys a query listens to, as a power of two."""
    return float(-(weights * weights.clamp_min(1e-30).log2()).sum(-1).mean())


def scale() -> Demonstration:
    """The variance of the scores, and what it does to the softmax and its gradient."""
    g = torch.Generator().manual_seed(1)
    rows, plain_bits, spreads, gradients = [], [], {}, {}
    for d_k in WIDTHS:
        query = torch.randn(QUERIES, d_k, generator=g)
        key = torch.randn(KEYS, d_k, generator=g)
        scores = query @ key.transpose(0, 1)  # (queries, keys)
        kinds = {"none": scores, "root": scores / math.sqrt(d_k), "whole": scores / d_k}
        kinds["times"] = scores * math.sqrt(d_k)
        spreads[d_k] = {kind: float(s.var()) for kind, s in kinds.items()}
        gradients[d_k] = _gradient(kinds["none"])
        bits = {kind: entropy(s.softmax(-1)) for kind, s in kinds.items()}
        plain_bits.append(bits["none"])
        found = spreads[d_k]
        rows.append(row(f"d_k = {d_k}", found["none"], found["root"], found["whole"], found["times"]))
    largest = math.log2(KEYS)
    return Demonstration(
        Text(
            f"Queries and keys of normally distributed numbers, {KEYS} keys for each query, and the scores "
            "QKᵀ for wider and wider keys.",
            f"查询和键都取标准正态分布，每个查询对应 {KEYS} 个键；看键越来越宽时的分数 QKᵀ。",
        ),
        (
            table(
                "The variance of the scores",
                "分数的方差",
                ("", "QKᵀ", "QKᵀ/√d_k", "QKᵀ/d_k", "QKᵀ·√d_k"),
                rows,
            ),
            bars(
                f"Entropy of the weights without the scale, in bits (equal shares would be {largest:g})",
                f"不缩放时权重的熵，单位比特（均匀分布时为 {largest:g}）",
                [Bar(f"d_k = {d}", b) for d, b in zip(WIDTHS, plain_bits)],
                largest,
            ),
            table(
                "The mean gradient that comes back through the softmax without the scale",
                "不缩放时经过 softmax 传回的平均梯度",
                ("", Text("gradient", "梯度")),
                [row(f"d_k = {d}", gradients[d]) for d in WIDTHS],
            ),
        ),
        Text(
            "A sum of d_k products has a variance of d_k. Divided by √d_k it is 1 whatever the width; "
            "without that, the softmax picks one key and its gradient dies; divided by d_k, all "
            "keys get nearly the same share.",
            "d_k 个乘积之和的方差是 d_k。除以 √d_k 后无论多宽都是 1；不除，softmax 就只选一个键，"
            "梯度随之消失；除以 d_k，则各键的份额几乎相同。",
        ),
        {
            **{f"variance {d}": spreads[d]["none"] for d in WIDTHS},
            **{f"scaled {d}": spreads[d]["root"] for d in WIDTHS},
            **{f"entropy {d}": b for d, b in zip(WIDTHS, plain_bits)},
            **{f"gradient {d}": gradients[d] for d in WIDTHS},
        },
    )


def _gradient(scores: Tensor) -> float:
    """The mean size of the derivative of a weight by its own score: w (1 - w)."""
    weights = scores.softmax(-1)
    return float((weights * (1 - weights)).mean())
