"""What positions are for, how the sinusoidal table is made, and what half precision leaves of it."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from grader.explaining.records import Bar, Demonstration, Row, bars, row, table
from grader.text import Text

__all__ = ["embedding_scale", "permuted", "precision", "sinusoids"]

WIDTH = 16


Way = Callable[[Tensor], Tensor]


def _table(length: int, width: int = WIDTH, exponent: Way | None = None, angle: Way | None = None) -> Tensor:
    """The right table; `exponent` gives another one of 2i, `angle` changes the angles."""
    i = torch.arange(0, width, 2, dtype=torch.float64)
    powers = i / width if exponent is None else exponent(i)
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 10000**powers
    if angle is not None:
        angles = angle(angles)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def permuted() -> Demonstration:
    """Turns the order of the words round, with and without positions."""
    g = torch.Generator().manual_seed(12)
    x = torch.randn(5, WIDTH, generator=g, dtype=torch.float64)
    order = torch.tensor([4, 2, 0, 3, 1])
    pe = _table(5)
    ways = (
        (Text("positions added", "加上位置"), lambda v: v + pe, True),
        (Text("no positions", "没有位置"), lambda v: v, False),
        (Text("the same row for all", "所有词元同一行"), lambda v: v + pe[3], False),
        (Text("looked up by token", "按词元查表"), lambda v: v + v.sin(), False),
        (Text("positions alone", "只有位置"), lambda v: pe, False),
    )
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, way, ok in ways:
        one, other = _attend(way(x)), _attend(way(x[order]))
        words = float((other - one[order]).abs().max())  # 0: the order makes no difference
        what = float((way(x) - way(x + 1)).abs().max())  # 0: the words make no difference
        heard = Text("yes", "是") if words > 1e-9 else Text("no", "否")
        known = Text("yes", "是") if what > 1e-9 else Text("no", "否")
        rows.append(row(name, _tidy(words), heard, known, right=ok))
        facts |= {f"order {name.en}": words, f"words {name.en}": what}
    return Demonstration(
        Text(
            "Attention over five words, and over the same words in another order.",
            "对五个词做注意力，再把同样的词换个顺序做一次。",
        ),
        (
            table(
                "How far a word's result moves when the order changes; what the model can tell apart",
                "顺序改变时，同一个词的结果变化多少；模型能区分什么",
                ("", Text("change", "变化"), Text("order", "顺序"), Text("words", "词")),
                rows,
            ),
        ),
        Text(
            'Attention is a sum over a set: without positions, "dog bites man" and "man bites dog" '
            "give the same vectors, only in another order. The row has to differ from position to position, "
            "and to be added to the word, not put in its place.",
            "注意力是对一个集合求和：没有位置，“狗咬人”和“人咬狗”得到同样的向量，只是排列不同。每个位置的行"
            "必须各不相同，并且是加到词上，而不是取代它。",
        ),
        facts,
    )


def _attend(x: Tensor) -> Tensor:
    return (x @ x.t() / math.sqrt(x.shape[-1])).softmax(-1) @ x


def sinusoids() -> Demonstration:
    """Wavelengths of the pairs of columns, and whether equal distances look equal."""
    width = WIDTH
    turn = 2 * math.pi
    last = (width - 2) / width  # the exponent of the slowest pair
    ways: tuple[tuple[Text, Tensor, float, bool], ...] = (
        (Text("as asked for", "题目要求"), _table(200), turn * 10000**last, True),
        (
            Text("exponent i / d_model", "指数 i / d_model"),
            _table(200, exponent=lambda i: i / 2 / width),
            turn * 10000 ** (last / 2),
            False,
        ),
        (
            Text("exponent 4i / d_model", "指数 4i / d_model"),
            _table(200, exponent=lambda i: 2 * i / width),
            turn * 10000 ** (2 * last),
            False,
        ),
        (Text("times 10000^…", "乘以 10000^…"), _table(200, exponent=lambda i: -i / width), turn, False),
        (Text("angles in degrees", "角度制"), _table(200, angle=torch.deg2rad), 360 * 10000**last, False),
        (
            Text("sines only", "全是正弦"),
            _table(200).reshape(200, -1, 2)[..., 0].repeat_interleave(2, 1),
            turn * 10000**last,
            False,
        ),
    )
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for name, pe, longest, ok in ways:
        near = pe @ pe.t() / (width / 2)
        steps = near.diagonal(1)
        uneven = _tidy(float(steps.max() - steps.min()))
        rows.append(row(name, float(near[9, 10]), float(near[0, 50]), uneven, longest, right=ok))
        facts |= {f"uneven {name.en}": uneven, f"next {name.en}": float(near[9, 10])}
        facts[f"longest {name.en}"] = longest
    lengths = [2 * math.pi * 10000 ** (i / width) for i in range(0, width, 2)]
    return Demonstration(
        Text(
            f"The table for d_model = {width}: each pair of columns is a clock hand that turns at its own "
            "speed.",
            f"d_model = {width} 的表：每对列是一根以自己的速度转动的指针。",
        ),
        (
            bars(
                "Positions for one full turn of each pair (the bars: its logarithm)",
                "每对列转一整圈所需的位置数（条长为其对数）",
                [Bar(Text(f"{n:.0f}", f"{n:.0f}"), math.log10(n)) for n in lengths],
            ),
            table(
                "How alike rows are (1: the same): neighbours, and 50 apart; how much that depends on where "
                "one stands; positions for the longest turn",
                "行的相似度（1 为相同）：相邻与相距 50；相邻的相似度随所在位置变化多少；最长的一圈有多少位置",
                (
                    "",
                    Text("next", "相邻"),
                    Text("50 apart", "相距 50"),
                    Text("uneven", "变化"),
                    Text("longest", "最长"),
                ),
                rows,
            ),
        ),
        Text(
            "The product of two rows depends only on how far apart they are: that takes a sine and a cosine "
            "of the same angle, side by side. With wrong speeds the slowest hand comes round too early "
            "and far positions look alike, or hands hardly move and neighbours do, or they jump by more than "
            "a turn from one position to the next.",
            "两行的内积只取决于它们相距多远：这需要同一角度的正弦和余弦成对出现。转速不对，要么最慢的指针过早"
            "转完一圈、远处的位置看起来相同；要么指针几乎不动、相邻位置难以区分；要么每走一个位置就跳过一整圈。",
        ),
        facts,
    )


def _tidy(value: float) -> float:
    """Zero where it is one but for rounding."""
    return 0.0 if abs(value) < 1e-9 else value


def precision() -> Demonstration:
    """Positions, and a float64 number, in smaller dtypes."""
    rows: list[Row] = []
    facts: dict[str, float] = {}
    positions = torch.arange(4096, dtype=torch.float64)
    right = positions.sin()
    for name, dtype in (
        ("float64", torch.float64),
        ("float32", torch.float32),
        ("float16", torch.float16),
        ("bfloat16", torch.bfloat16),
    ):
        held = positions.to(dtype)
        different = len(set(held.tolist()))
        error = float((held.sin().double() - right).abs().max())
        third = abs(float((torch.tensor(1.0, dtype=dtype) / 3).double()) - 1 / 3)
        rows.append(row(name, different, error, third))
        facts |= {f"different {name}": float(different), f"error {name}": error}
    return Demonstration(
        Text(
            "The positions 0 to 4095, held in several dtypes before the sine is taken.",
            "位置 0 到 4095，先用不同的 dtype 保存，再取正弦。",
        ),
        (
            table(
                "How many different positions are left; the largest error of sin(p); the error of 1/3",
                "还剩多少个不同的位置；sin(p) 的最大误差；1/3 的误差",
                ("", Text("positions", "位置数"), "sin(p)", "1/3"),
                rows,
            ),
        ),
        Text(
            "bfloat16 has 8 bits for a number: from 256 on it skips every second position, and neighbours "
            "become the same row. What has once gone through a smaller dtype does not come back: results "
            "must be as accurate as what was put in, and have its dtype.",
            "bfloat16 的有效位只有 8 位：从 256 起每隔一个位置就表示不了，相邻位置成了同一行。数一旦经过更小"
            "的 dtype 就无法恢复：结果应与输入同样精确，并保持其 dtype。",
        ),
        facts,
    )


def embedding_scale() -> Demonstration:
    """The size of embeddings beside positions, by what they are multiplied with."""
    g = torch.Generator().manual_seed(13)
    rows: list[Row] = []
    facts: dict[str, float] = {}
    for d_model in (16, 64, 256, 512):
        words = torch.randn(50, d_model, generator=g, dtype=torch.float64) / math.sqrt(d_model)
        place = _table(50, d_model)
        root = math.sqrt(d_model)
        ratios = [_ratio(words * factor, place) for factor in (root, 1.0, float(d_model), 1 / root)]
        rows.append(row(f"d_model = {d_model}", *ratios))
        facts |= {f"{n} {d_model}": r for n, r in zip(("right", "missing", "by d_model", "divided"), ratios)}
    return Demonstration(
        Text(
            "Embeddings start with a spread of 1/√d_model, as in the paper, and a table of sines and "
            "cosines is added to them.",
            "嵌入的初始标准差为 1/√d_model（如论文所述），再加上正弦、余弦的表。",
        ),
        (
            table(
                "How large the words are beside the positions",
                "词与位置的大小之比",
                ("", "· √d_model", Text("as they are", "不缩放"), "· d_model", "/ √d_model"),
                rows,
            ),
        ),
        Text(
            "With √d_model, word and position weigh about the same whatever the width. Without it the "
            "words are whispered and the positions shouted, the more so the wider the model; multiplied by "
            "d_model it is the other way round. The factor belongs to the words alone.",
            "乘以 √d_model 后，无论多宽，词与位置的分量大致相当。不乘，则词声如耳语而位置如高喊，模型越宽"
            "越是如此；乘以 d_model 则相反。这个系数只属于词。",
        ),
        facts,
    )


def _ratio(words: Tensor, place: Tensor) -> float:
    return float(words.square().mean().sqrt() / place.square().mean().sqrt())
