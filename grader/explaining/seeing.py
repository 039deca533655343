"""Who may see whom: masks the wrong way round, causal masks that are not, and padding."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.explaining.records import Bar, Demonstration, Row, bars, grids, row, table
from grader.text import Text

__all__ = ["causal", "combining", "inverted", "padding"]

SIZE = 5
RIGHT = Text("as asked for", "题目要求")


def _triangles() -> Mapping[Text, Tensor]:
    below = torch.ones(SIZE, SIZE, dtype=torch.bool).tril()
    return {
        RIGHT: below,
        Text("one too far", "多看一位"): torch.ones(SIZE, SIZE, dtype=torch.bool).tril(1),
        Text("without itself", "看不到自己"): below.tril(-1),
        Text("turned over", "转置"): below.t(),
        Text("everything", "全部允许"): torch.ones(SIZE, SIZE, dtype=torch.bool),
        Text("mirrored", "左右镜像"): below.flip(-1),
        Text("a window of 2", "只看最近 2 个"): below & torch.ones(SIZE, SIZE, dtype=torch.bool).triu(-1),
    }


def causal() -> Demonstration:
    """Changes the last token and counts the earlier results that change with it."""
    g = torch.Generator().manual_seed(3)
    x = torch.randn(SIZE, 8, generator=g)
    other = x.clone()
    other[-1] = torch.randn(8, generator=g)
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, mask in _triangles().items():
        before, after = (_attend(v, mask) for v in (x, other))
        changed = (before[:-1] - after[:-1]).abs().amax(-1) > 1e-6  # NaN is counted beside it
        empty = int((~mask.any(-1)).sum())
        past = int(mask.tril().sum())
        rows.append(row(name, int(changed.sum()), past, empty, right=name is RIGHT))
        facts[f"leaks {name.en}"] = float(changed.sum())
        facts[f"empty {name.en}"] = float(empty)
    all_past = SIZE * (SIZE + 1) // 2
    return Demonstration(
        Text(
            f"Attention over {SIZE} positions under several masks. The last token is exchanged for another: "
            "no earlier position may notice.",
            f"在不同掩码下对 {SIZE} 个位置做注意力。把最后一个词元换掉：前面的位置都不应察觉。",
        ),
        (
            grids(
                "Row: who looks; column: who is seen; full: allowed",
                "行：谁在看；列：看谁；实心：允许",
                _triangles(),
                RIGHT,
            ),
            table(
                f"Of {SIZE - 1} earlier positions, how many notice; of {all_past} pairs in the past, how "
                "many are seen; rows without anything",
                f"前面 {SIZE - 1} 个位置中有几个察觉到变化；过去的 {all_past} 对中看到几对；空行数",
                ("", Text("notice", "察觉"), Text("seen", "看到"), Text("empty", "空行")),
                rows,
            ),
        ),
        Text(
            "Each position that notices reads what it is to predict: the loss falls, and generated text is "
            "worthless, because the future is not there then. A row without anything allowed gives NaN.",
            "察觉到变化的位置等于读到了它要预测的答案：损失会下降，生成时却毫无用处，因为那时没有未来可看。"
            "没有任何允许项的行会得到 NaN。",
        ),
        facts,
    )


def _attend(x: Tensor, mask: Tensor) -> Tensor:
    scores = (x @ x.t() / math.sqrt(x.shape[-1])).masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ x


def inverted() -> Demonstration:
    """The share of the weights that goes to padding, with a mask that is right, absent and inverted."""
    g = torch.Generator().manual_seed(4)
    real, pads = 3, 5
    scores = torch.randn(64, real + pads, generator=g)
    keep = torch.arange(real + pads) < real
    shares = {
        "right": _share(scores.masked_fill(~keep, -math.inf), keep),
        "none": _share(scores, keep),
        "inverted": _share(scores.masked_fill(keep, -math.inf), keep),
    }
    names = (
        ("right", Text("as asked for", "题目要求"), True),
        ("none", Text("no mask", "没有掩码"), False),
        ("inverted", Text("inverted", "用反"), False),
    )
    return Demonstration(
        Text(
            f"A sentence of {real} words, filled up to {real + pads} with padding; random scores for "
            "64 queries.",
            f"一个 {real} 个词的句子，用填充补到 {real + pads} 个；64 个查询，分数随机。",
        ),
        (
            bars(
                "The share of the weights that goes to padding",
                "权重中落在填充上的份额",
                [Bar(name, shares[key], ok) for key, name, ok in names],
                1.0,
            ),
        ),
        Text(
            "A keep mask is True where attention is allowed. Without it, the padding takes its share, the "
            "more the longer it is; the wrong way round, everything is read from padding and the sentence "
            "itself is hidden. Nothing raises, and the weights still sum to one.",
            "“保留”掩码在允许关注处为 True。没有它，填充会分走权重，填充越长分得越多；用反了，则一切都读自"
            "填充，句子本身反而被遮住。程序不会报错，权重之和也仍是一。",
        ),
        {f"share {key}": value for key, value in shares.items()},
    )


def _share(scores: Tensor, keep: Tensor) -> float:
    return float(scores.softmax(-1)[:, ~keep].sum(-1).mean())


def combining() -> Demonstration:
    """The truth table of a padding mask and a causal mask, and the pairs that each way allows."""
    real = torch.tensor([True, True, True, False, False])
    padding_ = real[None, :].expand(SIZE, SIZE)
    causal_ = torch.ones(SIZE, SIZE, dtype=torch.bool).tril()
    allowed = padding_ & causal_
    ways = {
        Text("both allow", "两者都允许"): allowed,
        Text("one allows", "任一允许"): padding_ | causal_,
        Text("just one allows", "恰有一个允许"): padding_ ^ causal_,
        Text("they are equal", "两者相等"): padding_ == causal_,
        Text("padding only", "只用填充"): padding_,
        Text("causal only", "只用因果"): causal_,
        Text("queries too", "连查询也屏蔽"): allowed & real[:, None],
    }
    first = next(iter(ways))
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, mask in ways.items():
        wrong = int((mask & ~allowed).sum())
        lost = int((allowed & ~mask).sum())
        empty = int((~mask.any(-1)).sum())
        rows.append(row(name, wrong, lost, empty, right=name is first))
        facts |= {f"wrong {name.en}": float(wrong), f"lost {name.en}": float(lost)}
    return Demonstration(
        Text(
            "Five positions, the last two of them padding, and a causal mask.",
            "五个位置，最后两个是填充；再加一个因果掩码。",
        ),
        (
            grids("Row: query; column: key; full: allowed", "行：查询；列：键；实心：允许", ways, first),
            table(
                "Pairs that are allowed and must not be, pairs that are lost, rows without anything",
                "不该允许却允许的对数、被误屏蔽的对数、空行数",
                ("", Text("wrong", "误允许"), Text("lost", "误屏蔽"), Text("empty", "空行")),
                rows,
            ),
        ),
        Text(
            "Both masks say what is allowed, so only what both allow is allowed. Anything else lets padding "
            "or the future in. Masking padded queries as well leaves rows that may attend to nothing.",
            "两个掩码说的都是“允许”，所以只有两者都允许才算允许；其他方式都会放进填充或未来。"
            "若把填充的查询也屏蔽掉，就会出现没有任何可关注对象的行。",
        ),
        facts,
    )


def padding() -> Demonstration:
    """Padding masked along the keys, along the queries, and by the first sample's mask for all."""
    g = torch.Generator().manual_seed(5)
    lengths = torch.tensor([4, 2])
    keep = torch.arange(SIZE)[None, :] < lengths[:, None]  # (B, S)
    scores = torch.randn(2, SIZE, SIZE, generator=g)
    keys = keep[:, None, :].expand(2, SIZE, SIZE)
    ways = {
        Text("keys, each sample its own", "屏蔽键，各样本各自的"): keys,
        Text("queries instead of keys", "屏蔽了查询而不是键"): keep[:, :, None].expand(2, SIZE, SIZE),
        Text("the first sample's for all", "都用第一个样本的"): keys[:1].expand(2, SIZE, SIZE),
        Text("real where any sample is", "任一样本真实即算真实"): keep.any(0)[None, None, :].expand(
            2, SIZE, SIZE
        ),
    }
    first = next(iter(ways))
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, mask in ways.items():
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
        shares = [float(weights[b, : lengths[b]][:, ~keep[b]].sum(-1).mean()) for b in range(2)]
        rows.append(row(name, shares[0], shares[1], right=name is first))
        facts[f"second {name.en}"] = shares[1]
    return Demonstration(
        Text(
            f"Two sentences, of 4 and of 2 words, both filled up to {SIZE}. Only the real queries count.",
            f"两个句子，分别有 4 个和 2 个词，都补到 {SIZE} 个。只看真实的查询。",
        ),
        (
            table(
                "The share of the weights of real queries that goes to padding",
                "真实查询的权重落在填充上的份额",
                ("", Text("sample 0", "样本 0"), Text("sample 1", "样本 1")),
                rows,
            ),
        ),
        Text(
            "Padding must not be looked at, so it is the keys that are hidden: along the last axis of "
            "(B, H, L, S). And each sentence ends at another place: a mask that is not made for every sample "
            "lets the shorter ones read their padding.",
            "填充不应被看到，所以要屏蔽的是键，即 (B, H, L, S) 的最后一维。每个句子的结尾位置也不同："
            "若不是逐样本的掩码，较短的句子就会读到自己的填充。",
        ),
        facts,
    )
