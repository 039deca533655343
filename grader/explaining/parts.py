"""Projections and their inputs, activations, and what attention costs in memory."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.explaining.records import Bar, Demonstration, Row, bars, row, table
from grader.text import Text

__all__ = ["activation", "memory", "projections"]


def projections() -> Demonstration:
    """Exchanged and reused inputs, in self-attention and in cross-attention."""
    g = torch.Generator().manual_seed(19)
    x, memory_ = torch.randn(4, 8, generator=g), torch.randn(4, 8, generator=g)
    w = [torch.randn(8, 8, generator=g) / math.sqrt(8) for _ in range(4)]
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way, ok in (
        (Text("as asked for", "题目要求"), "right", True),
        (Text("key projected from the query", "键由查询投影"), "input", False),
        (Text("W_q used for the key", "键用了 W_q"), "reused", False),
        (Text("W_k and W_v exchanged", "W_k 与 W_v 互换"), "swapped", False),
        (Text("key and value exchanged", "键与值互换"), "exchanged", False),
        (Text("without W_o", "没有 W_o"), "no output", False),
    ):
        other = memory_, memory_ + 1
        right = _attention(x, *other, w, "right")
        cross = float((_attention(x, *other, w, way) - right).abs().max())
        same = float((_attention(x, x, x, w, way) - _attention(x, x, x, w, "right")).abs().max())
        rows.append(row(name, same, cross, right=ok))
        facts |= {f"self {name.en}": same, f"cross {name.en}": cross}
    return Demonstration(
        Text(
            "Attention of four queries, once over themselves (query, key and value are one tensor), "
            "and once over another sequence.",
            "四个查询的注意力：一次看自己（查询、键、值是同一个张量），一次看另一个序列。",
        ),
        (
            table(
                "The largest difference from the right result",
                "与正确结果的最大差异",
                ("", Text("self", "自注意力"), Text("cross", "交叉注意力")),
                rows,
            ),
        ),
        Text(
            "In self-attention all three inputs are the same tensor, so that mixing them up goes unnoticed: "
            "the difference is exactly 0. With another sequence it shows. Each projection has its "
            "own question to learn: what I look for, what I offer, what I hand over.",
            "自注意力中三个输入是同一个张量，弄混了也看不出来：差异恰好为 0。换成另一个序列就暴露了。每个投影"
            "各学一件事：我找什么，我提供什么，我交出什么。",
        ),
        facts,
    )


def _attention(query: Tensor, key: Tensor, value: Tensor, w: list[Tensor], way: str) -> Tensor:
    w_q, w_k, w_v, w_o = w
    if way == "input":
        key = query
    if way == "reused":
        w_k = w_q
    if way == "swapped":
        w_k, w_v = w_v, w_k
    if way == "exchanged":
        key, value = value, key
    q, k, v = query @ w_q, key @ w_k, value @ w_v
    mixed = (q @ k.t() / math.sqrt(q.shape[-1])).softmax(-1) @ v
    return mixed if way == "no output" else mixed @ w_o


def activation() -> Demonstration:
    """Two linear maps without an activation are one; what several activations let through."""
    g = torch.Generator().manual_seed(20)
    x = torch.randn(64, 8, generator=g, dtype=torch.float64)
    a = torch.randn(8, 32, generator=g, dtype=torch.float64)
    b = torch.randn(32, 8, generator=g, dtype=torch.float64)
    ways = (
        (Text("ReLU", "ReLU"), torch.relu, True),
        (Text("none", "无"), lambda v: v, False),
        (Text("GELU", "GELU"), torch.nn.functional.gelu, False),
        (Text("tanh", "tanh"), torch.tanh, False),
        (Text("sigmoid", "sigmoid"), torch.sigmoid, False),
    )
    at = torch.tensor([-2.0, -0.5, 0.5, 2.0], dtype=torch.float64)
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way, ok in ways:
        out = way(x @ a) @ b
        best = torch.linalg.lstsq(x, out).solution  # the one linear map that comes nearest
        left = float((out - x @ best).square().mean() / out.square().mean())
        left = 0.0 if left < 1e-12 else left
        rows.append(row(name, *[float(v) for v in way(at)], left, right=ok))
        facts[f"left {name.en}"] = left
    after = torch.relu((x @ a).relu() @ b)
    facts["negative after"] = float((after < 0).double().mean())
    return Demonstration(
        Text(
            "The feed-forward network with several activations, and how well one linear map can replace it.",
            "前馈网络用不同的激活函数，以及单个线性映射能在多大程度上取代它。",
        ),
        (
            table(
                "The activation at four places; the share of the network that no single linear map can give",
                "激活函数在四处的值；单个线性映射无法给出的部分所占比例",
                ("", "-2", "-0.5", "0.5", "2", Text("not linear", "非线性")),
                rows,
            ),
        ),
        Text(
            "Without an activation, linear2(linear1(x)) is one linear map with a detour: 32 hidden features "
            "add nothing. And after the last layer an activation would forbid every negative result, which "
            "the residual sum needs to take something away again.",
            "没有激活函数，linear2(linear1(x)) 只是绕了个弯的一个线性映射：32 个隐藏特征毫无用处。"
            "若在最后一层"
            "之后再加激活，则一切负的结果都被禁止，而残差求和正需要它们来做减法。",
        ),
        facts,
    )


def memory() -> Demonstration:
    """The square law of the scores, in bytes."""
    batch, heads, d_model, size = 8, 8, 512, 4
    lengths = (256, 512, 1024, 2048, 4096)
    rows = []
    found = []
    for length in lengths:
        scores = batch * heads * length * length * size
        tokens = batch * length * d_model * size
        found.append(scores)
        rows.append(row(length, _bytes(scores), _bytes(scores // 2), _bytes(tokens), scores / tokens))
    measured = torch.empty(batch, heads, 1024, 1024, device="meta")
    return Demonstration(
        Text(
            f"The scores of one attention layer have the shape (B, H, S, S): batch {batch}, {heads} heads, "
            f"and d_model = {d_model} for comparison.",
            f"一层注意力的分数形状为 (B, H, S, S)：批次 {batch}、{heads} 个头；另以 d_model = {d_model} "
            "作比较。",
        ),
        (
            bars(
                "MiB for the scores in float32, by length",
                "float32 分数占用的 MiB，按长度",
                [Bar(str(n), b / 2**20) for n, b in zip(lengths, found)],
            ),
            table(
                "The same in words, beside the tokens (B, S, d_model) themselves",
                "具体数字，并与词元本身 (B, S, d_model) 比较",
                (
                    "S",
                    "float32",
                    Text("half", "半精度"),
                    Text("tokens", "词元"),
                    Text("times", "倍"),
                ),
                rows,
            ),
        ),
        Text(
            f"Twice the length, four times the memory: at 1024 positions one layer's scores take "
            f"{_bytes(found[2])}. In training the scores before and after the softmax, and what "
            "dropout needs, are all kept for the backward pass, in every layer. A mask of shape (B, H, S, "
            "S) that could be "
            "(B, 1, 1, S) costs as many entries again; kernels such as FlashAttention never store the whole.",
            f"长度加倍，内存变为四倍：1024 个位置时，一层的分数就占 {_bytes(found[2])}。训练时 softmax "
            "前后的分数"
            "和 dropout 的掩码都要为反向传播保留，每层如此。本可以是 (B, 1, 1, S) 的掩码若做成 (B, H, S, S)，"
            "又多出同样多的元素；FlashAttention 这类实现则从不存下整个矩阵。",
        ),
        {f"bytes {n}": float(b) for n, b in zip(lengths, found)}
        | {"measured": float(measured.numel() * measured.element_size())},
    )


def _bytes(number: int) -> str:
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if number >= unit:
            return f"{number / unit:.4g} {name}"
    return f"{number} B"
