"""How tensors lie in memory, and how heads are cut out of the features and put together again."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.explaining.records import Demonstration, Grid, Grids, Row, row, table
from grader.text import Text

__all__ = ["broadcast", "few_heads", "heads", "views"]

S, H, D = 3, 2, 4  # positions, heads, width of a head


def views() -> Demonstration:
    """Strides before and after a transposition, and what `view` says of each."""
    x = torch.arange(S * H * D).reshape(S, H, D)
    turned = x.transpose(0, 1)
    cases = (
        (Text("x (S, H, d_k)", "x (S, H, d_k)"), x),
        (Text("x.transpose(0, 1)", "x.transpose(0, 1)"), turned),
        (Text("...contiguous()", "……contiguous()"), turned.contiguous()),
        (Text("x[:, :, :2]", "x[:, :, :2]"), x[:, :, :2]),
    )
    rows: list[Row] = []
    failed = {}
    for name, tensor in cases:
        error = _view(tensor)
        failed[name.en] = float(error)
        whole = Text("yes", "是") if tensor.is_contiguous() else Text("no", "否")
        said = Text("an error", "报错") if error else Text("works", "可以")
        rows.append(
            row(name, str(tuple(tensor.shape)), str(tuple(tensor.stride())), whole, said, right=not error)
        )
    first = turned.reshape(-1)[:8].tolist()
    return Demonstration(
        Text(
            f"{S} positions of {H} heads with {D} features: 24 numbers in one row of memory. A stride says "
            "how many numbers further the next entry of an axis lies.",
            f"{S} 个位置、{H} 个头、每头 {D} 个特征：内存中的一排 24 个数。步长表示某一维的下一项在内存中"
            "隔多少个数。",
        ),
        (
            table(
                "The same numbers, looked at in several ways",
                "同一批数，几种看法",
                (
                    "",
                    Text("shape", "形状"),
                    Text("strides", "步长"),
                    Text("in one piece", "连续"),
                    ".view(-1)",
                ),
                rows,
            ),
            table(
                "In memory, and as the transposed tensor is read",
                "内存中的顺序，与转置后读出的顺序",
                ("", ""),
                [
                    row(Text("memory", "内存"), " ".join(map(str, x.reshape(-1)[:8].tolist())) + " ..."),
                    row(Text("transposed", "转置"), " ".join(map(str, first)) + " ..."),
                ],
            ),
        ),
        Text(
            "A transposition moves no number; it exchanges two strides. `view` may only relabel numbers "
            "that follow one another, and after the transposition they no longer do: they have to be copied "
            "into their new order first. Leaving the transposition out avoids the error as well, but "
            "then the numbers are in the wrong places.",
            "转置不移动任何数，只交换两个步长。`view` 只能重新划分依次相邻的数，而转置后它们不再相邻，"
            "必须先按新的顺序复制一份。干脆不转置也能避开报错，但数就放错了位置。",
        ),
        failed,
    )


def _view(tensor: Tensor) -> bool:
    """Whether `view` refuses."""
    try:
        tensor.view(-1)
    except RuntimeError:
        return True
    return False


def heads() -> Demonstration:
    """Which features of which token the first head gets, by how the heads are cut and joined."""
    x = torch.arange(S)[:, None] * 10 + torch.arange(H * D)  # token t, feature f: 10 t + f
    right = x.reshape(S, H, D).transpose(0, 1)  # (H, S, d_k)
    splits = (
        (Text("as asked for", "题目要求"), right, True),
        (Text("view alone", "只用 view"), x.reshape(H, S, D), False),
        (Text("every second feature", "每隔一个特征"), x.reshape(S, D, H).permute(2, 0, 1), False),
        (Text("features first", "先换特征与位置"), x.t().reshape(H, S, D), False),
    )
    merged = right.transpose(0, 1).reshape(S, H * D)
    merges = (
        (Text("as asked for", "题目要求"), merged, True),
        (Text("view alone", "只用 view"), right.reshape(S, H * D), False),
        (Text("heads interleaved", "各头交错"), right.permute(1, 2, 0).reshape(S, H * D), False),
    )
    stays = {
        f"tokens {name.en}": float(len({int(v) // 10 for v in split[0, 0]})) for name, split, _ in splits
    }
    kept = {f"merge {name.en}": float((m == x).double().mean()) for name, m, _ in merges}
    pick = tuple(
        Grid(
            name,
            tuple(
                tuple(1.0 if 10 * t + f in split[0].flatten().tolist() else 0.0 for f in range(H * D))
                for t in range(S)
            ),
            ok,
        )
        for name, split, ok in splits
    )
    return Demonstration(
        Text(
            f"{S} tokens with {H * D} features and {H} heads. Each number says where it comes from: 12 is "
            "feature 2 of token 1.",
            f"{S} 个词元，{H * D} 个特征，{H} 个头。每个数说明自己的来处：12 是词元 1 的特征 2。",
        ),
        (
            Grids(
                Text("What head 0 gets (row: token; column: feature)", "头 0 得到什么（行：词元；列：特征）"),
                pick,
            ),
            table(
                "The query of head 0 at position 0",
                "头 0 在位置 0 的查询",
                ("", Text("its features", "各特征")),
                [row(name, _numbers(split[0, 0]), right=ok) for name, split, ok in splits],
            ),
            table(
                "Token 0 when right heads are joined again",
                "把正确的头重新合并后的词元 0",
                ("", Text("its features", "各特征")),
                [row(name, _numbers(m[0]), right=ok) for name, m, ok in merges],
            ),
        ),
        Text(
            "A head is a slice of the features, at all positions. `view` and `reshape` only cut the row of "
            "numbers anew: without moving the axis, positions and features are mixed, the shape is right "
            "and nothing raises. The same holds on the way back.",
            "一个头是特征的一段切片，包含所有位置。`view` 和 `reshape` 只是把一排数重新切开：不移动维度，"
            "位置和特征就混在一起，而形状正确、也不报错。合并时也是如此。",
        ),
        {**stays, **kept},
    )


def _numbers(values: Tensor) -> str:
    return " ".join(f"{int(v):02d}" for v in values)


def few_heads() -> Demonstration:
    """Two heads that look at two places, and what is left of that when they are one."""
    look = torch.eye(5)[[1, 3]] * 6.0  # head 0 wants position 1, head 1 position 3
    weights = look.softmax(-1)
    single = (look.sum(0) / 2).softmax(-1)
    average = weights.mean(0)
    ways = (
        (Text("head 0", "头 0"), weights[0], True),
        (Text("head 1", "头 1"), weights[1], True),
        (Text("one head for both", "合成一个头"), single, False),
        (Text("the average", "两头平均"), average, False),
    )
    values = torch.tensor([0.0, 1.0, 0.0, -1.0, 0.0])
    results = [float(w @ values) for _, w, _ in ways]
    rows = [
        row(name, *[f"{float(v):.2f}" for v in w], f"{result:.2f}", right=ok)
        for (name, w, ok), result in zip(ways, results)
    ]
    return Demonstration(
        Text(
            "Head 0 looks for position 1, whose value is 1; head 1 for position 3, whose value is -1.",
            "头 0 要看位置 1（其值为 1），头 1 要看位置 3（其值为 -1）。",
        ),
        (
            table(
                "The weights, and what is read with them",
                "权重，以及读出的结果",
                ("", *[Text(f"at {n}", f"位置 {n}") for n in range(5)], Text("reads", "读出")),
                rows,
            ),
        ),
        Text(
            "Two heads ask two questions and keep both answers, side by side. One head, or the average "
            "of two, can only mix what it finds: here 1 and -1 become 0, and neither can be told any more.",
            "两个头提两个问题，并排保留两个答案。一个头（或两头的平均）只能把所见混在一起：这里 1 和 -1 "
            "变成 0，两者都无从分辨。",
        ),
        {"head 0": results[0], "head 1": results[1], "single": results[2], "average": results[3]},
    )


def broadcast() -> Demonstration:
    """How shapes meet, from the right, and when a wrong one goes unnoticed."""
    shapes = (
        (Text("(B, 1, L, S)", "(B, 1, L, S)"), (2, 1, 5, 7), (2, 3, 5, 7)),
        (Text("(B, L, S)", "(B, L, S)"), (2, 5, 7), (2, 3, 5, 7)),
        (Text("(B, L, S), B = H = 2", "(B, L, S)，B = H = 2"), (2, 5, 7), (2, 2, 5, 7)),
        (Text("(B, S)", "(B, S)"), (2, 7), (2, 3, 5, 7)),
        (Text("a mean for each of S rows", "S 行各一个均值"), (5,), (5, 7)),
        (Text("the same, S = d_model", "同上，S = d_model"), (5,), (5, 5)),
    )
    rows = []
    raised = 0
    for name, small, large in shapes:
        result = _met(small, large)
        raised += result is None
        said: Text | str = Text("an error", "报错") if result is None else str(result)
        rows.append(row(name, str(small), str(large), said))
    scores = torch.zeros(2, 2, 1, 2)  # B = H = 2
    mask = torch.tensor([[[True, False]], [[False, True]]])  # one for each sample
    met = (scores.masked_fill(~mask, -1.0) == 0).squeeze(-2)
    wrong = float((met[0, 1] != mask[0, 0]).all())
    return Demonstration(
        Text(
            "Broadcasting lines shapes up at their right ends; missing axes count as 1, and a 1 meets "
            "anything.",
            "广播时两个形状从右端对齐；缺少的维当作 1，而 1 可以与任何大小配合。",
        ),
        (
            table(
                "A small tensor meets a large one",
                "小张量与大张量相遇",
                ("", Text("small", "小"), Text("large", "大"), Text("result", "结果")),
                rows,
            ),
            table(
                "A mask (B, L, S) for two samples meets the scores (B, H, L, S) of two heads: open keys",
                "两个样本的掩码 (B, L, S) 遇上两个头的分数 (B, H, L, S)：可见的键",
                ("", Text("head 0", "头 0"), Text("head 1", "头 1"), Text("should be", "应为")),
                [
                    row(
                        Text(f"sample {b}", f"样本 {b}"),
                        *[_keys(met[b, h]) for h in range(2)],
                        _keys(mask[b, 0]),
                        right=bool((met[b] == mask[b]).all()),
                    )
                    for b in range(2)
                ],
            ),
        ),
        Text(
            "The axis of the samples meets the axis of the heads. Mostly that raises; where both have the "
            "same size it does not, and head 1 of every sample gets the mask of sample 1. An axis of one in "
            "the right place, and no more, says what is meant.",
            "样本维对上了头的维。多数时候会报错；两者大小相同时却不会，于是每个样本的头 1 都用了样本 1 "
            "的掩码。在正确的位置加一个大小为 1 的维（且只加一个），才表达了本意。",
        ),
        {"raised": float(raised), "wrong head": wrong},
    )


def _met(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return tuple((torch.empty(a) + torch.empty(b)).shape)
    except RuntimeError:
        return None


def _keys(open_: Tensor) -> str:
    return " ".join(str(n) for n, v in enumerate(open_.flatten().tolist()) if v) or "-"
