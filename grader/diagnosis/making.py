"""Recognises a value as made of others: a function of the right one, or of what was there before."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor, nn

from grader.diagnosis.pair import Pair
from grader.marking.compare import number
from grader.text import Text

__all__ = [
    "combined",
    "function_of_others",
    "function_of_that",
    "made_of_one",
    "reduced",
    "with_another",
]

THAT = Text("that", "它")
MOST_PAIRS = 60

FUNCTIONS: tuple[tuple[Text, Callable[[Tensor], Tensor]], ...] = (
    (Text("the square of {}", "{}的平方"), torch.square),
    (Text("the square root of {}", "{}的平方根"), torch.sqrt),
    (Text("the reciprocal of {}", "{}的倒数"), torch.reciprocal),
    (Text("the reciprocal square root of {}", "{}的平方根的倒数"), torch.rsqrt),
    (Text("the absolute value of {}", "{}的绝对值"), torch.abs),
    (Text("the logarithm of {}", "{}的对数"), torch.log),
    (Text("the exponential of {}", "{}的指数"), torch.exp),
    (Text("the ReLU of {}", "{}的 ReLU"), torch.relu),
    (Text("the GELU of {}", "{}的 GELU"), nn.functional.gelu),
    (Text("the GELU of {}", "{}的 GELU"), lambda x: nn.functional.gelu(x, approximate="tanh")),
    (Text("the SiLU of {}", "{}的 SiLU"), nn.functional.silu),
    (Text("the hard swish of {}", "{}的 hard swish"), nn.functional.hardswish),
    (Text("the ReLU6 of {}", "{}的 ReLU6"), nn.functional.relu6),
    (Text("the tanh of {}", "{}的 tanh"), torch.tanh),
    (Text("the sigmoid of {}", "{}的 sigmoid"), torch.sigmoid),
    (Text("the softplus of {}", "{}的 softplus"), nn.functional.softplus),
    (Text("the ELU of {}", "{}的 ELU"), nn.functional.elu),
    (Text("the leaky ReLU of {}", "{}的 leaky ReLU"), nn.functional.leaky_relu),
    (Text("the sine of {}", "{}的正弦"), torch.sin),
    (Text("the cosine of {}", "{}的余弦"), torch.cos),
)

ALONG: tuple[tuple[Text, Callable[[Tensor, int], Tensor]], ...] = (
    (Text("the softmax of {} over {}", "{}对{}做的 softmax"), lambda x, a: x.softmax(a)),
    (Text("the log-softmax of {} over {}", "{}对{}做的 log-softmax"), lambda x, a: x.log_softmax(a)),
    (Text("the running sum of {} along {}", "{}沿{}的累加和"), lambda x, a: x.cumsum(a)),
    (
        Text("{} brought to length 1 along {}", "{}沿{}归一到长度 1 的结果"),
        lambda x, a: x / torch.linalg.vector_norm(x, dim=a, keepdim=True),
    ),
    (Text("{} divided by its sum over {}", "{}除以它对{}的和"), lambda x, a: x / x.sum(a, keepdim=True)),
    (Text("{} minus its mean over {}", "{}减去它对{}的均值"), lambda x, a: x - x.mean(a, keepdim=True)),
    (Text("{} minus its largest over {}", "{}减去它对{}的最大值"), lambda x, a: x - x.amax(a, keepdim=True)),
    (
        Text("the squares of {} divided by their sum over {}", "{}的平方除以其对{}的和"),
        lambda x, a: x.square() / x.square().sum(a, keepdim=True),
    ),
)

REDUCED: tuple[tuple[Text, Callable[[Tensor, tuple[int, ...]], Tensor]], ...] = (
    (Text("the mean of {}", "{}的均值"), lambda x, a: x.mean(a, keepdim=True)),
    (Text("the sum of {}", "{}的和"), lambda x, a: x.sum(a, keepdim=True)),
    (Text("the largest of {}", "{}的最大值"), lambda x, a: x.amax(a, keepdim=True)),
    (Text("the smallest of {}", "{}的最小值"), lambda x, a: x.amin(a, keepdim=True)),
    (Text("the mean size of {}", "{}的绝对值的均值"), lambda x, a: x.abs().mean(a, keepdim=True)),
    (Text("the mean square of {}", "{}的平方的均值"), lambda x, a: x.square().mean(a, keepdim=True)),
    (
        Text("the variance of {} (divided by n - 1)", "{}的方差（除以 n - 1）"),
        lambda x, a: x.var(a, correction=1, keepdim=True),
    ),
    (Text("the variance of {}", "{}的方差"), lambda x, a: x.var(a, correction=0, keepdim=True)),
    (
        Text("the standard deviation of {} (divided by n - 1)", "{}的标准差（除以 n - 1）"),
        lambda x, a: x.std(a, correction=1, keepdim=True),
    ),
    (Text("the standard deviation of {}", "{}的标准差"), lambda x, a: x.std(a, correction=0, keepdim=True)),
    (Text("the length of {}", "{}的长度"), lambda x, a: torch.linalg.vector_norm(x, dim=a, keepdim=True)),
    (Text("the median of {}", "{}的中位数"), lambda x, a: x.median(a[0], keepdim=True).values),
    (Text("the product of {}", "{}的乘积"), lambda x, a: x.prod(a[0], keepdim=True)),
)

TOGETHER: tuple[tuple[Text, Callable[[Tensor, Tensor], Tensor]], ...] = (
    (Text("{} plus {}", "{}加上{}"), torch.add),
    (Text("{} minus {}", "{}减去{}"), torch.sub),
    (Text("{1} minus {0}", "{1}减去{0}"), lambda a, b: b - a),
    (Text("{} times {}", "{}乘以{}"), torch.mul),
    (Text("{} divided by {}", "{}除以{}"), torch.div),
    (Text("{1} divided by {0}", "{1}除以{0}"), lambda a, b: b / a),
    (Text("the larger of {} and {}", "{}与{}中较大者"), torch.maximum),
    (Text("the smaller of {} and {}", "{}与{}中较小者"), torch.minimum),
    (Text("the mean of {} and {}", "{}与{}的均值"), lambda a, b: (a + b) / 2),
)


def function_of_that(pair: Pair) -> Text | None:
    """A function of the right value."""
    return _function(pair, THAT, pair.wanted)


def function_of_others(pair: Pair) -> Text | None:
    """A function of another value of the call, or that value itself."""
    for words, value in pair.beside():
        if pair.same(pair.found, value):
            return _is(words)
        found = _function(pair, words, value) if _varied(value) else None
        if found is not None:
            return found
    return None


def made_of_one(pair: Pair) -> Text | None:
    """For a value of the wrong shape: a function of another value of that shape, or a slice."""
    for words, value in pair.others():
        if pair.same(pair.found, value):
            return words
        found = _function(pair, words, value) if _varied(value) else None
        if found is not None:
            return Text(found.en.removeprefix("is "), found.zh.removeprefix("得到的是"))
    plain = pair.found.squeeze()
    for axis in range(pair.wanted.dim()):
        for index in range(min(pair.wanted.shape[axis], 8)):
            if pair.same(plain, pair.wanted.select(axis, index).squeeze()):
                over = pair.over(axis)
                en = f"that at index {index} of {over.en} alone"
                return Text(en, f"它沿{over.zh}只取下标 {index} 的部分")
    return None


def with_another(pair: Pair) -> Text | None:
    """The right value and another value of the call together."""
    found, wanted = pair.found, pair.wanted
    if not bool(found.isfinite().all() and wanted.isfinite().all()):
        return None
    scale = max(1e-6, float(found.abs().max()))
    for words, value in pair.beside():
        size = float((value * value).sum())
        if size == 0 or not _varied(value):
            continue
        factor = float(((found - wanted) * value).sum()) / size
        rest = (found - wanted - factor * value).abs().max()
        if abs(factor) > 1e-6 and float(rest) <= pair.gap * scale:
            sign = Text("plus", "加上") if factor > 0 else Text("minus", "减去")
            by = number(abs(factor))
            en, zh = ("", "") if by == "1" else (f"{by} times ", f" {by} 倍的")
            return Text(f"is that {sign.en} {en}{words.en}", f"是它{sign.zh}{zh}{words.zh}")
        if pair.same(found, wanted * value):
            return Text(f"is that times {words.en}", f"是它乘以{words.zh}")
        if bool((value != 0).all()) and pair.same(found * value, wanted):
            return Text(f"is that divided by {words.en}", f"是它除以{words.zh}")
    return None


def combined(pair: Pair) -> Text | None:
    """Two other values of the call together."""
    beside = [(words, value) for words, value in pair.beside() if _varied(value)]
    for (one, a), (other, b) in list(combinations(reversed(beside), 2))[:MOST_PAIRS]:
        for text, function in TOGETHER:
            if _agrees(pair, function(a, b)):
                return _is(_filled(text, one, other))
    return None


def reduced(pair: Pair) -> Text | None:
    """A mean, a sum, ... of the right value or of another one over some axes, in whatever shape."""
    for words, value in ((THAT, pair.wanted), *pair.others()):
        if value.numel() <= pair.found.numel() or not 0 < value.dim() < 5:
            continue
        for count in range(1, value.dim() + 1):
            for axes in combinations(range(value.dim()), count):
                if pair.found.numel() * _spanned(value, axes) != value.numel():
                    continue
                for text, function in REDUCED[: len(REDUCED) if count == 1 else -2]:
                    result = function(value, axes)
                    fits = result if result.shape == pair.found.shape else result.squeeze(axes)
                    if _agrees(pair, fits):
                        return _over(pair, _filled(text, words), value, axes)
    return None


def _spanned(value: Tensor, axes: tuple[int, ...]) -> int:
    size = 1
    for axis in axes:
        size *= value.shape[axis]
    return size


def _over(pair: Pair, words: Text, value: Tensor, axes: tuple[int, ...]) -> Text:
    """``the mean of that over the queries and the keys``."""
    if value.dim() == pair.wanted.dim():
        named = [pair.over(a) for a in axes]
    else:
        named = [Text(f"axis {a}", f"第 {a} 轴") for a in axes]
    over = Text.join(named, " and ", "和")
    return Text(f"is {words.en} over {over.en}", f"得到的是对{over.zh}取的{words.zh}")


def _function(pair: Pair, words: Text, value: Tensor) -> Text | None:
    if value.shape != pair.found.shape:
        return None
    for text, function in FUNCTIONS:
        if _agrees(pair, function(value)):
            return _is(_filled(text, words))
    for text, along in ALONG:
        for axis in range(value.dim()):
            if value.shape[axis] > 1 and _agrees(pair, along(value, axis)):
                return _is(_filled(text, words, pair.over(axis)))
    return None


def _filled(text: Text, *words: Text) -> Text:
    return Text(text.en.format(*(w.en for w in words)), text.zh.format(*(w.zh for w in words)))


def _is(words: Text) -> Text:
    return Text(f"is {words.en}", f"得到的是{words.zh}")


def _agrees(pair: Pair, value: Tensor) -> bool:
    return bool(value.isfinite().any()) and pair.same(pair.found, value)


def _varied(value: Tensor) -> bool:
    return not bool((value == value.flatten()[0]).all())
