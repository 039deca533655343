"""Which numbers a LayerNorm takes together, and what it divides by."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.explaining.records import Demonstration, Row, row, table
from grader.text import Text

__all__ = ["cancellation", "eps", "gains", "norm_axes", "spread"]


def _normalised(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    mean = x.mean(axes, keepdim=True)
    spread_ = x.var(axes, correction=0, keepdim=True)
    return (x - mean) / (spread_ + 1e-5).sqrt()


def norm_axes() -> Demonstration:
    """Changes one token and looks at the others, for statistics over each choice of axes."""
    g = torch.Generator().manual_seed(7)
    x = torch.randn(2, 4, 8, generator=g)  # (B, S, d_model)
    other = x.clone()
    other[0, 1] = torch.randn(8, generator=g) * 3
    padded = torch.cat([x, torch.zeros(2, 4, 8)], dim=1)
    ways = (
        (Text("the features", "特征"), (-1,), True),
        (Text("the positions", "位置"), (1,), False),
        (Text("positions and features", "位置和特征"), (1, 2), False),
        (Text("the batch", "批次"), (0,), False),
        (Text("everything", "全部"), (0, 1, 2), False),
    )
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, axes, ok in ways:
        moved = (_normalised(x, axes) - _normalised(other, axes)).abs()
        rest = moved.clone()
        rest[0, 1] = 0
        pad = (_normalised(padded, axes)[:, :4] - _normalised(x, axes)).abs().max()
        rows.append(row(name, float(rest[0].max()), float(rest[1].max()), float(pad), right=ok))
        facts[f"leak {name.en}"] = float(rest.max())
        facts[f"padding {name.en}"] = float(pad)
    return Demonstration(
        Text(
            "Two samples of four tokens. Token 1 of sample 0 is exchanged, then four tokens of padding are "
            "appended: how far do the normalised values of the others move?",
            "两个样本，各四个词元。先换掉样本 0 的词元 1，再追加四个填充词元：其他词元归一化后的值变化多少？",
        ),
        (
            table(
                "Mean and variance taken over",
                "均值和方差取自",
                (
                    "",
                    Text("same sample", "同一样本"),
                    Text("other sample", "另一样本"),
                    Text("with padding", "加填充后"),
                ),
                rows,
            ),
        ),
        Text(
            "Over its own features, a token is normalised by itself. Over the sequence, every token hears "
            "of every other: later ones included, which defeats a causal mask, and padding, so that the "
            "result depends on how long the batch is.",
            "只取自己的特征时，每个词元各自归一化。若沿序列取，每个词元都会受其他词元影响：包括后面的词元，"
            "因果掩码因此失效；也包括填充，结果便取决于批次补到多长。",
        ),
        facts,
    )


def spread() -> Demonstration:
    """Mean and spread of a row after each way of normalising it, and the bias of the variance."""
    g = torch.Generator().manual_seed(8)
    x = torch.randn(8, generator=g)
    x = (x - x.mean()) / x.std(correction=0) * 3 + 2
    centred = x - x.mean()
    variance = centred.square().mean()
    deviation = variance.sqrt()
    ways = (
        (Text("as asked for", "题目要求"), centred / deviation, True),
        (Text("divided by d_model - 1", "除以 d_model - 1"), centred / x.std(), False),
        (Text("squares not averaged", "平方未取平均"), centred / centred.square().sum().sqrt(), False),
        (Text("by the variance", "除以方差"), centred / variance, False),
        (Text("mean not subtracted", "未减均值"), x / deviation, False),
        (Text("by the mean square", "除以均方根"), centred / x.square().mean().sqrt(), False),
        (Text("by the mean deviation", "除以平均绝对偏差"), centred / centred.abs().mean(), False),
        (Text("median subtracted", "减中位数"), (x - x.median()) / deviation, False),
        (Text("by the range", "除以极差"), (x - x.min()) / (x.max() - x.min()), False),
        (Text("only centred", "只减均值"), centred, False),
        (Text("multiplied", "乘以标准差"), centred * deviation, False),
        (Text("brackets missing", "缺少括号"), x - x.mean() / deviation, False),
    )
    facts = {f"std {name.en}": float(v.std(correction=0)) for name, v, _ in ways}
    factors = {d: (d / (d - 1)) ** 0.5 for d in (2, 4, 8, 64, 512)}
    return Demonstration(
        Text(
            "One row of 8 features with mean 2 and standard deviation 3, normalised in several ways.",
            "一行 8 个特征，均值为 2、标准差为 3，用几种方式归一化。",
        ),
        (
            table(
                "What comes out: it should have mean 0 and standard deviation 1",
                "结果：均值应为 0，标准差应为 1",
                ("", Text("mean", "均值"), Text("std", "标准差")),
                [row(name, _tidy(v.mean()), float(v.std(correction=0)), right=ok) for name, v, ok in ways],
            ),
            table(
                "The standard deviation with d_model - 1 is larger by",
                "用 d_model - 1 时标准差偏大的倍数",
                ("d_model", Text("times", "倍")),
                [row(d, f) for d, f in factors.items()],
            ),
        ),
        Text(
            "The d_model features are all there are, so their squares are averaged over d_model. Dividing by "
            "d_model - 1 makes every result smaller by a factor that is large for narrow rows and hard "
            "to see at 512; a model trained with one does not fit the other.",
            "d_model 个特征就是全部，所以平方要对 d_model 取平均。除以 d_model - 1 会让所有结果偏小：行窄时"
            "差别很大，到 512 时已难以看出；用一种训练的模型与另一种并不相配。",
        ),
        facts | {f"factor {d}": f for d, f in factors.items()},
    )


def _tidy(value: Tensor) -> float:
    """Zero where it is one but for rounding."""
    return 0.0 if abs(float(value)) < 1e-6 else float(value)


def eps() -> Demonstration:
    """The divisor of rows of smaller and smaller variance, by where eps stands."""
    small = 1e-5
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for variance in (1.0, 1e-2, 1e-4, 1e-6, 0.0):
        v = torch.tensor(variance, dtype=torch.float64)
        inside = float((v + small).sqrt())
        outside = float(v.sqrt() + small)
        ratio = inside / outside
        facts[f"ratio {variance:g}"] = ratio
        rows.append(row(f"{variance:g}", inside, outside, float(v.sqrt()), ratio))
    constant = torch.full((4,), 3.0, requires_grad=True)
    centred = constant - constant.mean()
    bare = centred / constant.var(correction=0).sqrt()
    root = constant.var(correction=0).sqrt()
    gradient = torch.autograd.grad((centred / (root + small)).sum(), constant)[0]
    facts |= {"bare": float(bare.isnan().all()), "gradient": float(gradient.isnan().any())}
    return Demonstration(
        Text(
            "The number that a row is divided by, for eps = 1e-5 and smaller and smaller variances.",
            "eps = 1e-5 时，方差越来越小的行所除以的数。",
        ),
        (
            table(
                "Divisor, by where eps stands",
                "eps 在不同位置时的除数",
                (
                    Text("variance", "方差"),
                    "√(var + eps)",
                    "√var + eps",
                    Text("no eps", "无 eps"),
                    Text("ratio", "前两者之比"),
                ),
                rows,
            ),
            table(
                "A constant row, [3, 3, 3, 3]",
                "常数行 [3, 3, 3, 3]",
                ("", ""),
                [
                    row(Text("without eps", "无 eps"), _all(bare), right=False),
                    row(
                        Text("gradient with eps outside", "eps 在根号外时的梯度"), _all(gradient), right=False
                    ),
                ],
            ),
        ),
        Text(
            "Inside the root, eps adds √eps = 0.003 to a divisor near zero; outside it only 0.00001: for "
            "rows of small variance the results differ by up to that ratio. And the root has an infinite "
            "slope at 0: without eps under it, a constant row gives NaN, forward or backward.",
            "在根号内，eps 给接近零的除数加上 √eps = 0.003；在根号外只加 0.00001：方差小的行，结果可以相差"
            "这么多倍。而根号在 0 处斜率无穷大：根号内没有 eps，常数行在前向或反向就会得到 NaN。",
        ),
        facts,
    )


def _all(values: Tensor) -> str:
    return "NaN" if bool(values.isnan().any()) else f"{float(values.abs().max()):g}"


def cancellation() -> Demonstration:
    """E[x²] - E[x]² for a row far from zero."""
    g = torch.Generator().manual_seed(9)
    base = torch.randn(64, generator=g, dtype=torch.float64)
    base = (base - base.mean()) / base.std(correction=0)  # variance 1
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for offset in (0.0, 100.0, 1e4, 1e5):
        x = (base + offset).float()
        twice = float((x - x.mean()).square().mean())
        once = float(x.square().mean() - x.mean().square())
        facts |= {f"once {offset:g}": once, f"twice {offset:g}": twice}
        rows.append(row(f"{offset:g}", twice, once))
    return Demonstration(
        Text(
            "Rows of 64 numbers with variance 1 in float32, further and further from zero.",
            "float32 中方差为 1 的行（64 个数），离零越来越远。",
        ),
        (
            table(
                "The variance",
                "方差",
                (Text("mean", "均值"), "mean((x - mean)²)", "mean(x²) - mean²"),
                rows,
            ),
        ),
        Text(
            "x² is about mean², and float32 keeps seven digits of it: the variance is what is left after the "
            "eighth. It may come out as 0, or negative, and its root as NaN. Subtracting the mean first "
            "loses nothing.",
            "x² 约等于均值²，而 float32 只保留七位数字：方差恰是第八位之后剩下的。它可能算出 0 甚至负数，"
            "开方便是 NaN。先减去均值则不会有损失。",
        ),
        facts,
    )


def gains() -> Demonstration:
    """What gain and bias do to a normalised row, and what they are at the start."""
    x = torch.tensor([1.0, 2.0, 4.0, 5.0])
    n = _normalised(x, (-1,))
    weight, bias = torch.tensor([2.0, 2.0, 0.5, 0.5]), torch.tensor([0.0, 1.0, 0.0, 1.0])
    ways = (
        (Text("normalised · weight + bias", "归一化 · weight + bias"), n * weight + bias, True),
        (Text("without them", "不用它们"), n, False),
        (Text("exchanged", "互换"), n * bias + weight, False),
        (
            Text("weight before normalising", "先乘 weight 再归一化"),
            _normalised(x * weight, (-1,)) + bias,
            False,
        ),
        (Text("(normalised + bias) · weight", "（归一化 + bias）· weight"), (n + bias) * weight, False),
        (Text("weight starts at zero", "weight 从零开始"), n * 0, False),
    )
    off = {f"off {name.en}": float((v - ways[0][1]).abs().max()) for name, v, _ in ways}
    return Demonstration(
        Text(
            "A row [1, 2, 4, 5], weight [2, 2, 0.5, 0.5] and bias [0, 1, 0, 1].",
            "一行 [1, 2, 4, 5]，weight 为 [2, 2, 0.5, 0.5]，bias 为 [0, 1, 0, 1]。",
        ),
        (
            table(
                "The result",
                "结果",
                ("", *[str(i) for i in range(4)]),
                [row(name, *[float(e) for e in v], right=ok) for name, v, ok in ways],
            ),
        ),
        Text(
            "Normalising takes mean and spread away; weight and bias let the model choose them anew, "
            "feature by feature, after it. They start as ones and zeros, so that at first nothing is "
            "changed. A weight that starts at zero lets nothing through.",
            "归一化去掉了均值和幅度；weight 和 bias 让模型在其后逐特征重新选择。它们从一和零开始，因此起初"
            "不改变任何东西。weight 若从零开始，则什么也通不过。",
        ),
        off,
    )
