"""Dropout: when it acts, what it must not touch, and how what is kept is scaled up."""

from __future__ import annotations

import math

import torch
from torch.nn import functional

from grader.explaining.records import Bar, Demonstration, Row, bars, row, table
from grader.text import Text

__all__ = ["dropout", "dropout_place"]

RATE = 0.5
MANY = 20_000


def dropout() -> Demonstration:
    """Means in training and in eval mode, and how much is kept, by how dropout is written."""
    torch.manual_seed(14)
    x = torch.ones(MANY)
    kept = torch.rand(MANY) >= RATE
    twice = kept & (torch.rand(MANY) >= RATE)
    right = functional.dropout(x, RATE, True)
    ways = (
        (Text("as asked for", "题目要求"), right, x, True),
        (Text("kept as it is", "保留的不放大"), x * kept, x, False),
        (Text("in eval mode too", "eval 时也丢"), right, functional.dropout(x, RATE, True), False),
        (Text("twice", "两次"), x * twice / (1 - RATE) ** 2, x, False),
        (Text("rate 0.1 instead", "实际用 0.1"), functional.dropout(x, 0.1, True), x, False),
        (Text("never", "从不"), x, x, False),
    )
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, train, evaluated, ok in ways:
        share = float((train != 0).double().mean())
        same = Text("yes", "是") if bool((evaluated == evaluated[0]).all()) else Text("no", "否")
        rows.append(row(name, share, float(train.mean()), float(evaluated.mean()), same, right=ok))
        facts |= {f"kept {name.en}": share, f"mean {name.en}": float(train.mean())}
        facts[f"eval {name.en}"] = float(evaluated.std())
    return Demonstration(
        Text(
            f"{MANY} ones, through a dropout with rate {RATE}.",
            f"{MANY} 个 1，经过比率为 {RATE} 的 dropout。",
        ),
        (
            table(
                "The share that is kept; the mean in training and in eval mode; whether eval mode gives the "
                "same each time",
                "保留的比例；训练与 eval 模式下的均值；eval 模式下每次结果是否相同",
                (
                    "",
                    Text("kept", "保留"),
                    Text("mean, train", "训练均值"),
                    Text("mean, eval", "eval 均值"),
                    Text("same", "相同"),
                ),
                rows,
            ),
        ),
        Text(
            "What is kept is divided by 1 - p, so that the mean is the same with and without dropout. In "
            "eval mode nothing is dropped: a result then depends on the input alone, and is the "
            "same each time. Two dropouts in a row keep (1 - p)² of the numbers.",
            "保留下来的要除以 1 - p，这样有无 dropout 均值都相同。eval 模式下什么也不丢：结果只取决于输入，"
            "每次都一样。连续两次 dropout 只保留 (1 - p)²。",
        ),
        facts,
    )


def dropout_place() -> Demonstration:
    """What a dropped score does, beside a dropped weight; what a dropped residual loses."""
    scores = torch.tensor([2.0, 1.0, -1.0, -2.0])
    weights = scores.softmax(-1)
    gone = scores.clone()
    gone[3] = 0.0  # what dropout makes of the last score
    on_scores = gone.softmax(-1)
    on_weights = weights.clone()
    on_weights[3] = 0.0
    torch.manual_seed(15)
    x = torch.randn(64, 256)
    f = torch.randn(64, 256) * 0.3
    sums = {
        "branch": x + functional.dropout(f, 0.1, True),
        "sum": functional.dropout(x + f, 0.1, True),
    }
    lost = {name: float((s == 0).double().mean()) for name, s in sums.items()}
    after = {name: (1 - share) ** 12 for name, share in lost.items()}
    return Demonstration(
        Text(
            "Dropout means: this part is missing for once. What a zero means depends on where it stands.",
            "dropout 的意思是：这一部分这次缺席。而 0 意味着什么，取决于它出现在哪里。",
        ),
        (
            bars(
                "The weight of key 3, whose score is -2",
                "键 3 的权重（它的分数是 -2）",
                [
                    Bar(Text("nothing dropped", "不丢"), float(weights[3])),
                    Bar(Text("weight dropped", "丢权重"), float(on_weights[3]), True),
                    Bar(Text("score dropped", "丢分数"), float(on_scores[3]), False),
                ],
                float(on_scores[3]),
            ),
            table(
                "Residual connection with rate 0.1: the share of x that is lost in one layer, and the share "
                "that is left after 12",
                "比率 0.1 的残差连接：一层中 x 丢失的比例，以及 12 层后剩下的比例",
                ("", Text("lost", "丢失"), Text("left", "剩下")),
                [
                    row(
                        Text("on the sublayer's output", "作用于子层输出"),
                        lost["branch"],
                        after["branch"],
                        right=True,
                    ),
                    row(Text("on the sum", "作用于和"), lost["sum"], after["sum"], right=False),
                ],
            ),
        ),
        Text(
            "A score of 0 is an ordinary score: dropping one makes an unimportant key more important. Only "
            "after the softmax does 0 mean absent. And the residual path is to carry x through unharmed: "
            "dropped from at every layer, little of it arrives.",
            "0 是一个普通的分数：丢掉分数反而让不重要的键变重要。只有在 softmax 之后，0 才表示缺席。残差通路"
            "应让 x 完好地通过：若每一层都从中丢弃，到最后就所剩无几。",
        ),
        {
            "weight": float(weights[3]),
            "score dropped": float(on_scores[3]),
            "left sum": after["sum"],
            "left branch": after["branch"],
            "expected": math.pow(0.9, 12),
        },
    )
