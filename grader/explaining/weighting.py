"""What a softmax is for: over which axis, once, and without overflow."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.explaining.records import Demonstration, Row, row, table
from grader.text import Text

__all__ = ["overflow", "softmax_axis", "softmax_shape"]

SCORES = (2.0, 1.2, 0.0, -1.0)


def softmax_axis() -> Demonstration:
    """Row and column sums of a softmax over the keys and over the queries."""
    g = torch.Generator().manual_seed(6)
    scores = torch.randn(3, 4, generator=g)  # (queries, keys)
    keys, queries = scores.softmax(-1), scores.softmax(-2)
    ways = (
        (Text("over the keys", "对键"), keys, True),
        (Text("over the queries", "对查询"), queries, False),
        (Text("over both", "对两者一起"), scores.flatten().softmax(-1).reshape(3, 4), False),
    )
    rows = [row(name, *[float(v) for v in w.sum(-1)], right=ok) for name, w, ok in ways]
    before = scores.clone()
    before[2] += 3.0  # another query changes
    moved = {
        name: float((before.softmax(axis)[0] - scores.softmax(axis)[0]).abs().max())
        for name, axis in (("keys", -1), ("queries", -2))
    }
    return Demonstration(
        Text(
            "Scores of 3 queries and 4 keys, and a softmax over one axis or the other.",
            "3 个查询、4 个键的分数，分别沿不同的维做 softmax。",
        ),
        (
            table(
                "The sum of each query's weights",
                "每个查询的权重之和",
                ("", *[Text(f"query {n}", f"查询 {n}") for n in range(3)]),
                rows,
            ),
            table(
                "How far the weights of query 0 move when only query 2 changes",
                "只改变查询 2 时，查询 0 的权重的最大变化",
                ("", Text("change", "变化")),
                [
                    row(Text("over the keys", "对键"), moved["keys"], right=True),
                    row(Text("over the queries", "对查询"), moved["queries"], right=False),
                ],
            ),
        ),
        Text(
            "Each query shares out one whole among the keys, on its own. Over the queries, it is the keys "
            "that share themselves out: a query may get next to nothing, and depends on what the others ask.",
            "每个查询各自把“一份”分给各个键。若沿查询做 softmax，则是每个键把自己分给各查询：有的查询"
            "几乎分不到，而且结果取决于其他查询问了什么。",
        ),
        {
            "rows": float(keys.sum(-1).sub(1).abs().max()),
            "columns": float(queries.sum(-2).sub(1).abs().max()),
            "off": float(queries.sum(-1).sub(1).abs().max()),
            **{f"moved {k}": v for k, v in moved.items()},
        },
    )


def softmax_shape() -> Demonstration:
    """What becomes of four scores, by what is used as weights."""
    scores = torch.tensor(SCORES)
    right = scores.softmax(-1)
    top = scores.where(scores >= 1.2, torch.tensor(-torch.inf))
    ways: tuple[tuple[Text, Tensor, bool | None], ...] = (
        (Text("softmax", "softmax"), right, True),
        (Text("softmax twice", "做两次 softmax"), right.softmax(-1), False),
        (Text("its logarithm", "取对数"), scores.log_softmax(-1), False),
        (Text("exp only", "只取 exp"), scores.exp(), False),
        (Text("the scores", "分数本身"), scores, False),
        (Text("scores negated", "分数取负"), (-scores).softmax(-1), False),
        (Text("scores of at least 0", "分数不小于 0"), scores.relu().softmax(-1), False),
        (Text("scores within ±1", "分数限制在 ±1"), scores.clamp(-1, 1).softmax(-1), False),
        (Text("scores rounded", "分数取整"), scores.round().softmax(-1), False),
        (Text("the best two", "只留最大两个"), top.softmax(-1), False),
        (Text("softmax with + 1 below", "分母多加 1"), scores.exp() / (scores.exp().sum() + 1), False),
    )
    rows: list[Row] = [row(name, *[float(v) for v in w], float(w.sum()), right=ok) for name, w, ok in ways]
    return Demonstration(
        Text(
            "One query and four keys with the scores 2, 1.2, 0 and -1.",
            "一个查询、四个键，分数为 2、1.2、0、-1。",
        ),
        (
            table(
                "What would be used as weights",
                "会被当作权重的数",
                ("", *[Text(f"key {n}", f"键 {n}") for n in range(4)], Text("sum", "和")),
                rows,
            ),
        ),
        Text(
            "Weights are shares: none is negative, and together they are one, so that the output is a mean "
            "of the values whatever the number of keys. A second softmax flattens them until little of "
            "the scores is left.",
            "权重是份额：都不为负，加起来是一，因此无论有多少键，输出都是值的加权平均。第二次 softmax 会把"
            "权重抹平，分数的差别所剩无几。",
        ),
        {
            "sum": float(right.sum()),
            "twice": float(right.softmax(-1).max() - right.softmax(-1).min()),
            "once": float(right.max() - right.min()),
            "log": float(scores.log_softmax(-1).max()),
        },
    )


def overflow() -> Demonstration:
    """The largest numbers of each dtype, and a softmax that leaves the maximum in."""
    rows: list[Row] = []
    for size in (10.0, 50.0, 89.0, 1000.0):
        scores = torch.tensor([size, 0.0])
        plain = scores.exp() / scores.exp().sum()
        shifted = (scores - scores.max()).exp()
        stable = shifted / shifted.sum()
        half = float(torch.tensor(size).exp().half())
        rows.append(row(size, half, float(scores.exp()[0]), float(plain[0]), float(stable[0])))
    limits = [
        row(name, float(torch.finfo(dtype).max), float(torch.finfo(dtype).eps), _held(-1e9, dtype))
        for name, dtype in (
            ("float16", torch.float16),
            ("bfloat16", torch.bfloat16),
            ("float32", torch.float32),
        )
    ]
    huge = torch.tensor([1000.0, 0.0])
    return Demonstration(
        Text(
            "exp of a large score, and the weight that comes of it: with the row's maximum left in, and "
            "subtracted first.",
            "对较大的分数取 exp，以及由此得到的权重：不减去与先减去该行最大值。",
        ),
        (
            table(
                "Two scores, x and 0",
                "两个分数：x 和 0",
                (
                    "x",
                    Text("exp, float16", "exp（float16）"),
                    "exp",
                    Text("weight", "权重"),
                    Text("less the maximum", "减最大值"),
                ),
                rows,
            ),
            table(
                "What a dtype can hold",
                "各 dtype 能表示什么",
                (
                    "",
                    Text("largest", "最大值"),
                    Text("step at 1", "1 处的步长"),
                    Text("-1e9 becomes", "-1e9 变成"),
                ),
                limits,
            ),
        ),
        Text(
            "exp(89) no longer fits into float32, exp(12) not into float16, and inf/inf is NaN. The maximum "
            "of the row may be subtracted from all scores without changing the weights: then no exponent "
            "is above 0. A product or a fill that float32 takes lightly can be infinite in half precision.",
            "exp(89) 已超出 float32，exp(12) 已超出 float16，而 inf/inf 是 NaN。给整行减去最大值不会改变"
            "权重，指数就都不大于 0。float32 中毫无问题的乘积或填充值，在半精度中可能是无穷大。",
        ),
        {
            "plain": float((huge.exp() / huge.exp().sum())[0]),
            "stable": float(huge.softmax(-1)[0]),
            "half": float(torch.tensor(12.0).exp().half()),
        },
    )


def _held(value: float, dtype: torch.dtype) -> float:
    return float(torch.tensor(value).to(dtype))
