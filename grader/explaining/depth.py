"""What residual connections, and the place of the norm, do to the gradient of a deep stack."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.explaining.records import Bar, Demonstration, Row, bars, row, table
from grader.text import Text

__all__ = ["norm_order", "order_of_parts", "residuals"]

WIDTH, INNER, TOKENS = 32, 64, 16
DEPTHS = (1, 6, 12, 24)
SEEDS = 3
HE, SMALL = 2**0.5, 0.7  # times 1 / sqrt(width): what is usual before a ReLU, and half of that

Sublayer = Callable[[Tensor], Tensor]
Join = Callable[[Tensor, Sublayer], Tensor]


def _norm(x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()


# how x and what a sublayer makes of it are put together
JOINS: Mapping[str, Join] = {
    "post": lambda x, f: _norm(x + f(x)),
    "pre": lambda x, f: x + f(_norm(x)),
    "no x": lambda x, f: f(_norm(x)),
    "normalised x": lambda x, f: _norm(x) + f(_norm(x)),
    "norm within": lambda x, f: x + _norm(f(x)),
    "no norm": lambda x, f: x + f(x),
}


@dataclass(frozen=True)
class _Stack:
    """What a stack of feed-forward sublayers with random weights does, on average over some seeds.

    gradients: of each sublayer's last weight; spread: of what comes out; likeness: the cosine between
    what goes in and what comes out.
    """

    gradients: tuple[float, ...]
    spread: float
    likeness: float


def _stack(name: str, depth: int, gain: float) -> _Stack:
    runs = [_run(JOINS[name], depth, gain, seed) for seed in range(SEEDS)]
    logs = torch.tensor([[math.log(g) for g in gradients] for gradients, _, _ in runs]).mean(0)
    return _Stack(
        tuple(logs.exp().tolist()), sum(r[1] for r in runs) / SEEDS, sum(r[2] for r in runs) / SEEDS
    )


def _run(join: Join, depth: int, gain: float, seed: int) -> tuple[list[float], float, float]:
    g = torch.Generator().manual_seed(seed)
    x = start = torch.randn(TOKENS, WIDTH, generator=g)
    last: list[Tensor] = []
    for _ in range(depth):
        into = torch.randn(WIDTH, INNER, generator=g) * gain / WIDTH**0.5
        out = (torch.randn(INNER, WIDTH, generator=g) * gain / INNER**0.5).requires_grad_(True)
        last.append(out)
        x = join(x, functools.partial(_network, into, out))
    target = torch.randn(TOKENS, WIDTH, generator=g)
    found = torch.autograd.grad((_norm(x) * target).mean(), last)
    likeness = torch.cosine_similarity(x.detach(), start, dim=-1).mean()
    return [float(v.norm()) for v in found], float(x.detach().std()), float(likeness)


def _network(into: Tensor, out: Tensor, x: Tensor) -> Tensor:
    hidden: Tensor = (x @ into).relu() @ out
    return hidden


def norm_order() -> Demonstration:
    """Gradients of the first and the last layer in post-LN and pre-LN, and the size of the result."""
    rows: list[Row] = []
    facts: dict[str, float] = {}
    found = {(name, depth): _stack(name, depth, HE) for name in ("post", "pre") for depth in DEPTHS}
    for depth in DEPTHS:
        post, pre = found["post", depth], found["pre", depth]
        first_post, first_pre = (found[name, 1].gradients[-1] for name in ("post", "pre"))
        last_post, last_pre = post.gradients[-1] / first_post, pre.gradients[-1] / first_pre
        rows.append(row(depth, last_post, last_pre, post.spread, pre.spread))
        facts |= {f"post {depth}": last_post, f"pre {depth}": last_pre}
        facts |= {f"size post {depth}": post.spread, f"size pre {depth}": pre.spread}
    top = max(*post.gradients, *pre.gradients)
    places = (0, 5, 11, 17, 23)
    return Demonstration(
        Text(
            "Stacks of feed-forward sublayers with random weights. Post-LN: norm(x + f(x)); pre-LN: "
            "x + f(norm(x)).",
            "随机权重的前馈子层堆叠。post-LN：norm(x + f(x))；pre-LN：x + f(norm(x))。",
        ),
        (
            table(
                "Gradient of the last layer, beside that of a single layer, and the spread of the result",
                "末层的梯度（与单层相比），以及结果的标准差",
                (
                    Text("layers", "层数"),
                    Text("post-LN", "post-LN"),
                    Text("pre-LN", "pre-LN"),
                    Text("spread, post", "标准差 post"),
                    Text("spread, pre", "标准差 pre"),
                ),
                rows,
            ),
            bars(
                "Gradients of a post-LN stack of 24, layer by layer",
                "24 层 post-LN 各层的梯度",
                [Bar(Text(f"layer {n + 1}", f"第 {n + 1} 层"), post.gradients[n]) for n in places],
                top,
            ),
            bars(
                "The same in pre-LN",
                "pre-LN 的情形",
                [Bar(Text(f"layer {n + 1}", f"第 {n + 1} 层"), pre.gradients[n]) for n in places],
                top,
            ),
        ),
        Text(
            "In post-LN the stream is brought back to size 1 at every layer, and each layer gets the full "
            "gradient however many there are: a deep stack moves far with every step, and needs a warm-up. "
            "In pre-LN the stream grows with the depth, each layer is a smaller part of it, and its gradient "
            "shrinks to match; one norm at the very end brings the result back to size 1. Weights "
            "trained for one order are of no use in the other.",
            "post-LN 在每一层都把残差流恢复到 1，无论有多少层，每层都得到完整的梯度：堆得深时每一步都动得很"
            "远，训练需要预热。pre-LN 的残差流随深度增大，每层所占的比重变小，梯度也相应变小；最后再由一个 "
            "norm 把结果恢复到 1。按一种顺序训练的权重，换成另一种就没有用了。",
        ),
        facts,
    )


def residuals() -> Demonstration:
    """What is left of the input after a deep stack, by how x and f(x) are put together."""
    ways: tuple[tuple[str, Text, bool | None], ...] = (
        ("pre", Text.same("x + f(norm(x))"), None),
        ("post", Text.same("norm(x + f(x))"), None),
        ("no x", Text("f(norm(x)): no x", "f(norm(x))：没有 x"), False),
        ("normalised x", Text.same("norm(x) + f(norm(x))"), False),
        ("norm within", Text.same("x + norm(f(x))"), False),
        ("no norm", Text("x + f(x): no norm", "x + f(x)：没有 norm"), False),
    )
    found = {key: _stack(key, DEPTHS[-1], SMALL) for key, _, _ in ways}
    rows = [row(name, found[key].spread, found[key].likeness, right=ok) for key, name, ok in ways]
    kept = [Bar(name, max(0.0, found[key].likeness), ok) for key, name, ok in ways]
    return Demonstration(
        Text(
            "24 sublayers with small random weights, by how x and f(x) are put together. Without a mark: the "
            "two right orders.",
            "24 个权重较小且随机的子层，看 x 与 f(x) 的不同组合方式。未标记的是两种正确的顺序。",
        ),
        (
            bars(
                "How much the result still resembles the input (1: the same direction)",
                "结果还有多像输入（1 表示方向相同）",
                kept,
                1.0,
            ),
            table(
                "The spread of the result, and the same likeness",
                "结果的标准差，以及同一相似度",
                ("", Text("spread", "标准差"), Text("likeness", "相似度")),
                rows,
            ),
        ),
        Text(
            "x in the sum is a path on which each token passes every layer as itself. Without it nothing of "
            "the token is left after a few layers. Without the norm in its place the sums grow, and a "
            "sublayer's output that is normalised before it is added weighs as much as x, however "
            "little it has to say.",
            "求和中的 x 是一条通路，每个词元沿它原样穿过每一层。没有它，几层之后词元就荡然无存。norm 不在它的"
            "位置上，和会越来越大；若先归一化子层的输出再相加，它无论说了多少，分量都和 x 一样重。",
        ),
        {f"size {k}": v.spread for k, v in found.items()}
        | {f"kept {k}": v.likeness for k, v in found.items()},
    )


def order_of_parts() -> Demonstration:
    """Two parts in a row, exchanged, side by side, left out, and twice."""
    f: Callable[[float], float] = lambda x: x + 3.0
    h: Callable[[float], float] = lambda x: x * 2.0
    ways: tuple[tuple[Text, Callable[[float], float], bool], ...] = (
        (Text("first f, then h", "先 f 后 h"), lambda x: h(f(x)), True),
        (Text("first h, then f", "先 h 后 f"), lambda x: f(h(x)), False),
        (Text("side by side, added", "并行后相加"), lambda x: f(x) + h(x), False),
        (Text("f left out", "漏掉 f"), lambda x: h(x), False),
        (Text("h left out", "漏掉 h"), lambda x: f(x), False),
        (Text("f twice", "f 两次"), lambda x: h(f(f(x))), False),
        (Text("h twice", "h 两次"), lambda x: h(h(f(x))), False),
    )
    facts = {name.en: way(1.0) for name, way, _ in ways}
    return Demonstration(
        Text(
            "The smallest picture of two parts in a row: f adds 3, h doubles.",
            "两个部分先后相接的最小例子：f 加 3，h 翻倍。",
        ),
        (
            table(
                "What becomes of 1, of 2 and of 5",
                "1、2、5 分别变成",
                ("", "1", "2", "5"),
                [row(name, *[way(v) for v in (1.0, 2.0, 5.0)], right=ok) for name, way, ok in ways],
            ),
        ),
        Text(
            "Each part reads what the one before it has written: exchanged, side by side, left out or run "
            "twice, the shapes are the same and nothing raises, but it is another function. Weights that "
            "were trained for one are noise to the other.",
            "每个部分读的是前一部分写下的结果：交换、并行、漏掉或多跑一次，形状都一样、也不报错，但已是另一个"
            "函数。为前者训练的权重，对后者只是噪声。",
        ),
        facts,
    )
