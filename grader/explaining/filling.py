"""What a forbidden key keeps when its score is not -inf, and where the mask comes too late."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grader.explaining.records import Bar, Cell, Demonstration, Row, bars, row, table
from grader.text import Text

__all__ = ["after_softmax", "empty_rows", "fill", "kinds_of_mask"]

USUAL = torch.tensor([1.0, 0.0, -1.0, 2.0])  # scores; the last key is forbidden
LOW = torch.tensor([-151.0, -152.0, -153.0, 2.0])
KEPT = torch.tensor([True, True, True, False])
FILLS = (-math.inf, -1e9, -1e4, -100.0, -1.0, 0.0)


def fill() -> Demonstration:
    """The weight of a forbidden key for several fills, and the same in half precision."""
    shares, low, half = {}, {}, {}
    for value in FILLS:
        shares[value] = float(USUAL.double().masked_fill(~KEPT, value).softmax(-1)[-1])
        low[value] = float(LOW.double().masked_fill(~KEPT, value).softmax(-1)[-1])
        half[value] = _in_half(value)
    rows = [
        row(
            f"{v:g}",
            shares[v],
            low[v],
            half[v],
            right=True if v == -math.inf else None if v < -1e3 else False,
        )
        for v in FILLS
    ]
    return Demonstration(
        Text(
            "A query with four keys; the last one is forbidden. Its weight after the softmax, for several "
            "numbers in place of its score.",
            "一个查询有四个键，最后一个被屏蔽。用不同的数代替它的分数，看 softmax 之后它的权重。",
        ),
        (
            bars(
                "The weight that the forbidden key keeps",
                "被屏蔽的键保留的权重",
                [Bar(f"{v:g}", shares[v], v == -math.inf or shares[v] == 0.0) for v in FILLS],
                1.0,
            ),
            table(
                "The same, also where the allowed scores are near -150, and the fill in float16",
                "同上；另看允许的分数在 -150 附近时的情况，以及该数在 float16 中是什么",
                (
                    "",
                    Text("scores 1, 0, -1", "分数 1, 0, -1"),
                    Text("scores near -150", "分数约 -150"),
                    "float16",
                ),
                rows,
            ),
        ),
        Text(
            "exp(0) = 1: a score of 0 is an ordinary score, and where all others are negative even the "
            "largest. A finite number is only as good as the scores it meets, and -1e9 does not exist in "
            "float16. exp(-inf) = 0 always.",
            "exp(0) = 1：0 是一个普通的分数，在其他分数都为负时甚至最大。有限的数够不够小，取决于遇到"
            "怎样的分数；而 -1e9 在 float16 中并不存在。exp(-inf) 永远等于 0。",
        ),
        {f"weight {v:g}": shares[v] for v in FILLS} | {f"low {v:g}": low[v] for v in FILLS},
    )


def _in_half(value: float) -> Text | str:
    try:
        cast = torch.zeros(1, dtype=torch.float16).masked_fill(torch.ones(1, dtype=torch.bool), value)
    except RuntimeError:
        return Text("an error", "报错")
    return f"{float(cast):g}"


def after_softmax() -> Demonstration:
    """Zeroing weights takes their share away; renormalising works until nothing is left to divide."""
    right = USUAL.masked_fill(~KEPT, -math.inf).softmax(-1)
    late = USUAL.softmax(-1) * KEPT
    again = late / late.sum()
    far = LOW.softmax(-1) * KEPT
    lost = far / far.sum()

    def shown(name: Text, weights: Tensor, ok: bool) -> Row:
        return row(name, *[float(w) for w in weights], float(weights.sum()), right=ok)

    head: tuple[Cell, ...] = ("", *[Text(f"key {n}", f"键 {n}") for n in range(4)], Text("sum", "和"))
    names = (
        Text("-inf before the softmax", "softmax 之前置 -inf"),
        Text("zeroed after it", "softmax 之后置零"),
        Text("then divided by the sum", "再除以总和"),
        Text("the same, scores near -150", "同上，分数约 -150"),
    )
    values = (
        (names[0], right, True),
        (names[1], late, False),
        (names[2], again, True),
        (names[3], lost, False),
    )
    return Demonstration(
        Text(
            "Scores 1, 0, -1 and 2; the last key is forbidden.",
            "分数为 1、0、-1、2；最后一个键被屏蔽。",
        ),
        (
            table(
                "The weights and their sum",
                "权重及其总和",
                head,
                [shown(*v) for v in values],
            ),
        ),
        Text(
            f"The forbidden key took {float(USUAL.softmax(-1)[-1]):.0%} of the weight before it was zeroed: "
            "what is left sums to less than one. Dividing again repairs that, except where the allowed "
            "weights were rounded to zero: 0/0 is NaN.",
            f"被屏蔽的键在置零之前占去了 {float(USUAL.softmax(-1)[-1]):.0%} 的权重，剩下的和小于一。"
            "再除以总和可以补救，但若允许的权重已被舍入为零，0/0 就是 NaN。",
        ),
        {"sum right": float(right.sum()), "sum late": float(late.sum()), "lost": float(lost.sum())},
    )


def empty_rows() -> Demonstration:
    """A row in which all is forbidden."""
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = torch.zeros(2, 3).masked_fill(~mask, -math.inf).softmax(-1)
    finite = torch.zeros(2, 3).masked_fill(~mask, -1e9).softmax(-1)
    filled, added = (_gradient(mask, way) for way in ("filled", "added"))
    return Demonstration(
        Text(
            "A query that may attend to nothing: all three scores of its row are forbidden.",
            "一个没有可关注的键的查询：它这一行的三个分数全部被屏蔽。",
        ),
        (
            table(
                "Its weights, by what stands in place of the scores",
                "代替分数的数不同时，它的权重",
                ("", *[Text(f"key {n}", f"键 {n}") for n in range(3)]),
                [
                    row("-inf", *[float(w) for w in weights[1]], right=False),
                    row("-1e9", *[float(w) for w in finite[1]], right=False),
                    row(Text("asked for", "题目要求"), 0.0, 0.0, 0.0, right=True),
                ],
            ),
            table(
                "And the gradient of its scores, when the NaN is replaced by zero after the softmax",
                "以及在 softmax 之后把 NaN 换成零时，它的分数的梯度",
                ("", Text("gradient", "梯度")),
                [
                    row(Text("-inf filled in", "填入 -inf"), filled),
                    row(Text("-inf added", "加上 -inf"), added, right=False),
                ],
            ),
        ),
        Text(
            "exp(-inf) is 0 everywhere, and 0/0 is NaN. Replacing it later mends the forward pass; the "
            "backward pass still goes through the softmax of that row, and where -inf was added its NaN "
            "reaches the parameters. With a finite number the row becomes an even mixture of everything "
            "that it was forbidden.",
            "exp(-inf) 处处为 0，而 0/0 是 NaN。之后再替换只修好了前向；反向仍要经过这一行的 softmax，"
            "若 -inf 是加上去的，NaN 就会传到参数。若用有限的数，这一行就成了所有被屏蔽内容的平均。",
        ),
        {
            "nan": float(weights[1].isnan().all()),
            "even": float(finite[1, 0]),
            "filled": filled,
            "added": added,
        },
    )


def _gradient(mask: Tensor, way: str) -> float:
    """What reaches a score of the row in which all is forbidden."""
    scores = torch.zeros(2, 3, requires_grad=True)
    hidden = torch.zeros(2, 3).masked_fill(~mask, -math.inf)
    masked = scores + hidden if way == "added" else scores.masked_fill(~mask, -math.inf)
    weights = masked.softmax(-1)
    weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
    return float(torch.autograd.grad(weights[:, 0].sum(), scores)[0][1, 0])


def kinds_of_mask() -> Demonstration:
    """What usual expressions do with a mask of booleans and with one of zeros and ones."""
    true = torch.tensor([True, False])
    one = torch.tensor([1, 0])
    score = torch.tensor([2.0, 3.0])
    multiplied = score + (1 - one) * float("-inf")
    flipped = ~one
    rows = [
        row("~mask", _text(~true), _text(flipped)),
        row("1 - mask", Text("an error", "报错"), _text(1 - one)),
        row("mask == 0", _text(true == 0), _text(one == 0), right=True),
        row("(1 - mask) * -inf", Text("an error", "报错"), _text((1 - one) * float("-inf"))),
        row("scores + mask", _text(score + true), _text(score + one)),
        row("mask & mask", _text(true & true), _text(one & one)),
        row("if mask:", Text("an error", "报错"), Text("an error", "报错")),
    ]
    return Demonstration(
        Text(
            "The same mask, once as booleans and once as whole numbers: the first key is allowed, the second "
            "is not. Scores 2 and 3.",
            "同一个掩码，一次用布尔值，一次用整数：第一个键允许，第二个不允许。分数为 2 和 3。",
        ),
        (
            table(
                "What expressions make of it",
                "各种写法的结果",
                ("", "[True, False]", "[1, 0]"),
                rows,
            ),
        ),
        Text(
            'Of a whole number, ~ turns every bit: ~1 is -2 and ~0 is -1, both of which are "true". '
            "A boolean cannot be subtracted. 0 times -inf is NaN, not 0. And adding the mask raises the "
            "allowed score by one, which is far from forbidding the other.",
            "对整数，~ 会翻转每一位：~1 是 -2，~0 是 -1，两者都算“真”。布尔值不能相减。0 乘 -inf 是 NaN "
            "而不是 0。把掩码加上去只是让允许的分数大 1，远不足以屏蔽另一个。",
        ),
        {
            "nan": float(multiplied.isnan()[0]),
            "not one": float(flipped[0]),
            "not zero": float(flipped[1]),
        },
    )


def _text(value: Tensor) -> str:
    parts = [str(v) if isinstance(v, bool) else f"{v:g}" for v in value.tolist()]
    return f"[{', '.join(parts)}]"
