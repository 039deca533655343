"""Predicting tokens: what each position is asked for, where the next one is read off, when a row ends."""

from __future__ import annotations

import torch

from grader.explaining.records import Demonstration, row, table
from grader.text import Text

__all__ = ["ends", "reading_off", "shifting"]

IGNORE = -100


def shifting() -> Demonstration:
    """The targets of one padded row, made in several ways."""
    ids = torch.tensor([5, 7, 8, 0, 0])

    def marked(found: torch.Tensor, pads: torch.Tensor, *, last: bool = True) -> list[int]:
        made = found.masked_fill(pads, IGNORE)
        if last:
            made[-1] = IGNORE
        return [int(x) for x in made]

    ahead = ids.roll(-1)
    nothing = torch.zeros(5, dtype=torch.bool)
    right = marked(ahead, ahead == 0)
    ways = (
        (Text("the next token, padding left out", "下一个词元，忽略填充"), right),
        (Text("not shifted", "没有移动"), marked(ids, ids == 0, last=False)),
        (Text("shifted the other way", "移动方向相反"), marked(ids.roll(1), nothing)),
        (Text("rolled, the end comes round", "循环移动，末尾绕回"), marked(ahead, nothing, last=False)),
        (Text("padding as a target", "填充也是目标"), marked(ahead, nothing)),
        (Text("left out where the token is padding", "按当前词元忽略"), marked(ahead, ids == 0)),
    )
    rows = [row(name, *values, right=values == right) for name, values in ways]
    head = (Text("targets of 5 7 8 0 0", "5 7 8 0 0 的目标"), "5", "7", "8", "0", "0")
    copied = sum(a == b for a, b in zip(ways[1][1], ids.tolist()))
    return Demonstration(
        Text("A row of three tokens and two of padding.", "一行：三个词元和两个填充。"),
        (table("What each position is asked for", "每个位置要预测什么", head, rows),),
        Text(
            "Only the first asks each token for the one that follows. Without the shift the answer is the "
            "question; the others ask for what went before, for the beginning of the row, or for padding.",
            "只有第一种让每个词元预测它后面的词元。不移动时，"
            "答案就是题目；其他几种要预测的是前一个词元、行首或填充。",
        ),
        {"copied": float(copied), "counted": float(sum(x != IGNORE for x in right))},
    )


def reading_off() -> Demonstration:
    """A model that counts on, asked for the next token at each of its positions."""
    ids = [2, 3, 4]
    logits = torch.zeros(3, 7)
    for place, token in enumerate(ids):
        logits[place, token + 1] = 4.0 + place  # a model that counts: after 2 comes 3
    best = logits.argmax(dim=-1).tolist()
    mean = int(logits.mean(dim=0).argmax())
    rows = [
        row(Text("the last position", "最后一个位置"), "[:, -1]", best[-1], right=True),
        row(Text("the last but one", "倒数第二个位置"), "[:, -2]", best[-2], right=False),
        row(Text("the first position", "第一个位置"), "[:, 0]", best[0], right=False),
        row(Text("argmax of all positions at once", "对所有位置一起取 argmax"), "argmax()",
            int(logits.argmax()), right=False),
        row(Text("the least likely", "最不可能的"), "argmin", int(logits[-1].argmin()), right=False),
    ]  # fmt: skip
    head = (Text("read off at", "读取的位置"), "", Text("next token after 2 3 4", "2 3 4 之后的词元"))
    return Demonstration(
        Text(
            "A model that has learned to count, after the tokens 2 3 4.", "一个学会数数的模型，读过了 2 3 4。"
        ),
        (table("Which token would be appended", "会接上哪个词元", head, rows),),
        Text(
            "Each position predicts the token after itself, so that the earlier ones predict what is there "
            "already. Over all positions at once the argmax is "
            "a place in the flattened table, here past the "
            "7 tokens that there are.",
            "每个位置预测的是自己后面的词元，所以前面的位置预测的都是已经有的。对所有位置一起取 argmax，"
            "得到的是展平之后的位置，这里已超出仅有的 7 个词元。",
        ),
        {"last": float(best[-1]), "first": float(best[0]), "mean": float(mean)},
    )


def ends() -> Demonstration:
    """Two rows that end at different steps, and several rules for when that is the end of all."""
    end = 0
    new = torch.tensor([[4, 0, 3, 5, 1], [2, 6, 1, 0, 2]])

    def steps(over: object) -> int:
        for n in range(1, new.shape[1] + 1):
            if over(new[:, :n]):  # type: ignore[operator]
                return n
        return new.shape[1]

    found = {
        "all": steps(lambda t: bool((t == end).any(1).all())),
        "any": steps(lambda t: bool((t == end).any())),
        "once": steps(lambda t: bool((t[:, -1] == end).all())),
        "first": steps(lambda t: bool((t[0] == end).any())),
        "falsy": new.shape[1],
    }
    words = (
        ("all", Text("every row has generated it", "每一行都已生成")),
        ("any", Text("any row has", "有一行已生成")),
        ("once", Text("all rows generate it in one step", "所有行在同一步生成")),
        ("first", Text("the first row has", "第一行已生成")),
        ("falsy", Text("`if eos_id`, with eos_id=0", "`if eos_id`，eos_id=0")),
    )
    rows = [row(text, found[key], right=key == "all") for key, text in words]
    head = (Text("decoding ends when", "结束的条件"), Text("after how many new tokens", "生成了几个新词元"))
    return Demonstration(
        Text(
            "Two rows continue 4 0 3 5 1 and 2 6 1 0 2, and token 0 is the end: of the first at step 2, of "
            "the second at step 4.",
            "两行依次生成 4 0 3 5 1 和 2 6 1 0 2，词元 0 是结束符："
            "第一行在第 2 步结束，第二行在第 4 步结束。",
        ),
        (table("When it is over", "何时结束", head, rows),),
        Text(
            "After 4 tokens both rows have ended. Other rules "
            "cut the second row off, or go on to the limit: "
            "which rows have ended has to be remembered, and 0 is a token like any other.",
            "生成 4 个之后两行都已结束。其他规则要么截断第二行，要么一直进行到上限：哪些行已结束需要记住，"
            "而 0 和其他词元一样。",
        ),
        {key: float(value) for key, value in found.items()},
    )
