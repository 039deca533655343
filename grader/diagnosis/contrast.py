"""Says in what a value differs from the one that it should be, from what can be measured on the two.

Each finding is the rest of a sentence whose subject is the learner's value: "is that times 1.1", where
*that* is the right value.  The first that holds is said: a reason for all numbers at once before a
place where they differ, and a place before a count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import permutations

import torch
from torch import Tensor

from grader.diagnosis.making import (
    combined,
    function_of_others,
    function_of_that,
    made_of_one,
    reduced,
    with_another,
)
from grader.diagnosis.pair import Pair, equal
from grader.marking.compare import dtype_word, number, numbers, place, shape
from grader.text import Text

__all__ = ["contrast", "example"]


def contrast(pair: Pair) -> Text:
    """How they differ, as the rest of a sentence."""
    found, wanted = pair.found, pair.wanted
    if found.shape != wanted.shape:
        return _shapes(pair.wide())
    if found.dtype is not wanted.dtype and pair.same(found, wanted):
        have, want = dtype_word(found.dtype), dtype_word(wanted.dtype)
        return Text(f"is {have} in place of {want}", f"dtype 是 {have}，应为 {want}")
    discrete = not (found.is_floating_point() and wanted.is_floating_point())
    wide = pair.wide()
    for test in OF_MASKS if discrete else OF_NUMBERS:
        words = test(pair if discrete else wide)
        if words is not None:
            return words
    return Text("is something else in every entry", "每个元素都不同")


def example(pair: Pair) -> Text | None:
    """One number of the learner's beside the right one; None where none differs."""
    kind, pair = pair.found.dtype, pair.wide()
    found, wanted = pair.found, pair.wanted
    if found.shape != wanted.shape:
        return None
    wrong = ~equal(found, wanted, pair.gap)
    if not bool(wrong.any()):
        return None
    where = tuple(int(i) for i in wrong.nonzero()[0])
    x, y = float(found[where]), float(wanted[where])
    have, want = (str(bool(x)), str(bool(y))) if kind is torch.bool else numbers(x, y)
    spot = place("", where) or "it"
    return Text(f"{spot} is {have} and should be {want}", f"{spot} 是 {have}，应为 {want}")


# -- shape, NaN, accuracy ---------------------------------------------------------------------------


def _shapes(pair: Pair) -> Text:
    have, want = shape(pair.found), shape(pair.wanted)
    words = Text(f"has shape {have} in place of {want}", f"形状是 {have}，应为 {want}")
    for order in permutations(range(pair.wanted.dim())):
        if pair.same(pair.found, pair.wanted.permute(order)):
            return words + Text(": the right numbers, with axes exchanged", "：数值正确，但轴交换了")
    if pair.found.numel() == pair.wanted.numel() and pair.same(pair.found.flatten(), pair.wanted.flatten()):
        return words + Text(", with the right numbers", "，数值正确")
    made = reduced(pair) or made_of_one(pair)
    if made is None:
        return words
    en, zh = made.en.removeprefix("is "), made.zh.removeprefix("得到的是")
    return words + Text(f": {en}", f"：{zh}")


def _not_finite(pair: Pair) -> Text | None:
    found, finite = pair.found, pair.wanted.isfinite()
    for name, odd in (
        ("NaN", found.isnan() & ~pair.wanted.isnan()),
        ("-inf", (found == -math.inf) & finite),
        ("inf", (found == math.inf) & (pair.wanted != math.inf)),
    ):
        count, of = int(odd.sum()), odd.numel()
        if count == of:
            return Text(f"is {name} everywhere", f"处处是 {name}")
        if count:
            where = _placed(pair, odd) or Text("", "")
            return Text(
                f"is {name} in {count} of {of} entries{where.en}",
                f"有 {count}/{of} 个元素是 {name}{where.zh}",
            )
    return None


def _coarse(pair: Pair) -> Text | None:
    """Right to a few digits everywhere, on a line that goes through a dtype with no more."""
    usual = pair.wanted.isfinite()
    if pair.coarse is None or not bool((pair.found.isfinite() == usual).all() and usual.any()):
        return None
    error = float((pair.found - pair.wanted)[usual].abs().max())
    error /= max(1e-12, float(pair.wanted[usual].abs().max()))
    if not 0 < error <= 4 * torch.finfo(pair.coarse).eps:
        return None
    word, digits = dtype_word(pair.coarse), max(1, round(-math.log10(error)))
    return Text(
        f"is that to {digits} digits only: the line goes through {word}",
        f"只有约 {digits} 位有效数字：这一行经过了 {word}",
    )


# -- all numbers alike ------------------------------------------------------------------------------


def _sums_elsewhere(pair: Pair) -> Text | None:
    """For what sums to one over its last axis: over which other it does."""
    wanted, found = pair.wanted, pair.found
    if not wanted.dim() or not _ones(wanted.sum(-1)) or _ones(found.sum(-1)):
        return None
    other = pair.over(wanted.dim() - 1)
    for axis in range(wanted.dim() - 1):
        if found.shape[axis] > 1 and _ones(found.sum(axis)):
            one = pair.over(axis)
            return Text(
                f"sums to 1 over {one.en}, not over {other.en}", f"对{one.zh}求和为 1，而不是对{other.zh}"
            )
    if wanted.dim() > 1 and _ones(found.sum().reshape(1)):
        return Text("sums to 1 over all entries together", "全部元素加起来才是 1")
    return None


def _ones(sums: Tensor) -> bool:
    return bool(((sums - 1).abs() < 1e-6).all())


def _straight(pair: Pair) -> Text | None:
    """A factor, or an offset."""
    both = _usable(pair)
    if both is None:
        return None
    x, y = both
    if bool((y == y[0]).all()):
        return Text(f"is {number(float(y[0]))} everywhere", f"处处为 {number(float(y[0]))}")
    factor = float((x * y).sum() / (x * x).sum())
    if abs(factor) > 1e-9 and abs(factor - 1) > pair.gap and pair.same(y, x * factor):
        return _times(factor, pair.sizes)
    offset = float((y - x).mean())
    if pair.same(y, x + offset):
        return Text(f"is that {_signed(offset).en}", f"是它{_signed(offset).zh}")
    return None


def _slanted(pair: Pair) -> Text | None:
    """A factor and an offset."""
    both = _usable(pair)
    if both is None:
        return None
    x, y = both
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum())
    rest = float((y - slope * x).mean())
    if abs(slope) < 1e-9 or x.numel() < 3 or not pair.same(y, x * slope + rest):
        return None
    by = number(slope)
    return Text(f"is that times {by}, {_signed(rest).en}", f"是它的 {by} 倍再{_signed(rest).zh}")


def _usable(pair: Pair) -> tuple[Tensor, Tensor] | None:
    """The finite numbers of both, where they are at the same places and not all alike."""
    usual = pair.wanted.isfinite()
    if not bool((usual == pair.found.isfinite()).all()) or int(usual.sum()) < 2:
        return None
    x, y = pair.wanted[usual], pair.found[usual]
    varied = float((x - x.mean()).abs().max()) > 1e-9 * float(x.abs().max())
    return (x, y) if varied else None


def _signed(offset: float) -> Text:
    by = number(abs(offset))
    return Text(f"plus {by}", f"加上 {by}") if offset > 0 else Text(f"minus {by}", f"减去 {by}")


def _times(factor: float, sizes: Mapping[str, int]) -> Text:
    if abs(factor + 1) < 1e-9:
        return Text("is that with the sign turned round", "是它的相反数")
    by, through = number(factor), number(1 / factor)
    note = _note(factor, sizes)
    if len(through) < len(by):
        note = _note(1 / factor, sizes) or note
        return Text(f"is that divided by {through}{note.en}", f"是它除以 {through}{note.zh}")
    return Text(f"is that times {by}{note.en}", f"是它的 {by} 倍{note.zh}")


def _note(factor: float, sizes: Mapping[str, int]) -> Text:
    """What the factor happens to be made of: a fact about this call, not a guess at the reason."""
    for name, size in sizes.items():
        forms = {f"√{name}": math.sqrt(size), name: float(size), f"{name}²": float(size * size)}
        if size > 1:
            forms |= {f"{name}/({name}-1)": size / (size - 1), f"({name}-1)/{name}": (size - 1) / size}
        for form, value in forms.items():
            if abs(value - abs(factor)) < 1e-7 * value:
                return Text(f" ({form} is {number(value)} here)", f"（这里 {form} 是 {number(value)}）")
    return Text("", "")


# -- the same numbers elsewhere ---------------------------------------------------------------------


def _moved(pair: Pair) -> Text | None:
    """The right numbers, at other places."""
    found, wanted = pair.found, pair.wanted
    if not pair.same(found.double().flatten().sort().values, wanted.double().flatten().sort().values):
        return None
    dims = range(wanted.dim())
    for a in dims:
        for b in range(a + 1, wanted.dim()):
            if wanted.shape[a] == wanted.shape[b] and pair.same(found, wanted.transpose(a, b)):
                one, other = pair.over(a), pair.over(b)
                return Text(
                    f"is that with {one.en} and {other.en} exchanged", f"是它交换{one.zh}与{other.zh}后的结果"
                )
    for a in dims:
        over = pair.over(a)
        if wanted.shape[a] > 1 and pair.same(found, wanted.flip(a)):
            return Text(f"is that in reverse order along {over.en}", f"是它沿{over.zh}倒序的结果")
        if wanted.shape[a] > 2 and any(pair.same(found, wanted.roll(by, a)) for by in (1, -1)):
            return Text(f"is that moved round by one along {over.en}", f"是它沿{over.zh}循环移动一位的结果")
    if not wanted.is_floating_point():
        return None  # a mask has but two numbers
    return Text("has the right numbers in the wrong order", "数值都对，但顺序不对")


# -- cut, rounded, set to zero ----------------------------------------------------------------------


def _cut(pair: Pair) -> Text | None:
    """Values beyond a bound cut to it, or all rounded."""
    found, wanted = pair.found, pair.wanted
    for decimals in range(6):
        if pair.same(found, (wanted * 10**decimals).round() / 10**decimals):
            plural = "" if decimals == 1 else "s"
            en, zh = f"to {decimals} decimal{plural}", f"到 {decimals} 位小数"
            if not decimals:
                en, zh = "to integers", "到整数"
            return Text(f"is that rounded {en}", f"是它四舍五入{zh}的结果")
    if not bool(found.isfinite().all()):
        return None
    low, high = float(found.min()), float(found.max())
    if not pair.same(found, wanted.clamp(low, high)):
        return None
    parts = []
    if bool((wanted > high).any()):
        cut = number(high)
        parts.append(Text(f"everything above {cut} cut to {cut}", f"大于 {cut} 的都截成 {cut}"))
    if bool((wanted < low).any()):
        cut = number(low)
        parts.append(Text(f"everything below {cut} raised to {cut}", f"小于 {cut} 的都提到 {cut}"))
    whole = Text.join(parts, " and ", "、")
    return Text(f"is that with {whole.en}", f"是它把{whole.zh}的结果")


def _some_zero(pair: Pair) -> Text | None:
    """Some set to zero, the others times a factor, as dropout does."""
    gone = (pair.found == 0) & (pair.wanted != 0)
    count, of = int(gone.sum()), gone.numel()
    rest = ~gone & pair.wanted.isfinite() & (pair.wanted != 0)
    if not count or int(rest.sum()) < 2:
        return None
    x, y = pair.wanted[rest], pair.found[rest]
    factor = float((x * y).sum() / (x * x).sum())
    if not pair.same(y, x * factor):
        return None
    where = _placed(pair, gone) or Text("", "")
    by = "" if abs(factor - 1) <= pair.gap else number(factor)
    en, zh = (f" times {by}", f"的 {by} 倍，且") if by else ("", "，但")
    return Text(
        f"is that{en} with {count} of {of} entries set to zero{where.en}",
        f"是它{zh}有 {count}/{of} 个元素被置零{where.zh}",
    )


# -- masks ------------------------------------------------------------------------------------------


def _opposite(pair: Pair) -> Text | None:
    if bool(((pair.found != 0) != (pair.wanted != 0)).all()):
        return Text("is the exact opposite", "恰好相反")
    return None


def _uniform(pair: Pair) -> Text | None:
    value = pair.found.flatten()[0]
    if not bool((pair.found == value).all()):
        return None
    word = str(bool(value)) if value.dtype is torch.bool else number(float(value))
    return Text(f"is {word} everywhere", f"处处为 {word}")


# -- where ------------------------------------------------------------------------------------------


def _where(pair: Pair) -> Text | None:
    """At which places they differ, when that is not everywhere."""
    wrong = ~equal(pair.found, pair.wanted, pair.gap)
    count, of = int(wrong.sum()), wrong.numel()
    if count == of or not count:
        return None
    where = _placed(pair, wrong)
    if where is None:
        return Text(f"differs from that in {count} of {of} entries", f"有 {count}/{of} 个元素与它不同")
    return Text(f"differs from that{where.en}", f"与它不同{where.zh}")


def _placed(pair: Pair, wrong: Tensor) -> Text | None:
    """The part of the tensor that all the wrong entries lie in."""
    best: tuple[float, Text] | None = None
    for axis in range(wrong.dim()):
        size = wrong.shape[axis]
        others = [a for a in range(wrong.dim()) if a != axis]
        bad = wrong.any(dim=others) if others else wrong
        at = [int(i) for i in bad.nonzero().flatten()]
        if size < 2 or len(at) == size or (len(at) > 4 and len(at) < size - 1):
            continue
        if best is None or len(at) / size < best[0]:
            best = (len(at) / size, _along(pair, axis, at, size))
    if best is not None:
        return best[1]
    return _by_mask(pair, wrong) or _by_diagonal(wrong)


def _along(pair: Pair, axis: int, at: list[int], size: int) -> Text:
    listed = ", ".join(map(str, at))
    if not pair.letter(axis):
        return Text(f" at index {listed} of axis {axis} only", f"（只在第 {axis} 轴的下标 {listed}）")
    one = pair.one(axis)
    if len(at) == size - 1 > 1 and 0 not in at:
        return Text(f" everywhere but for the first {one.en}", f"（除第一个{one.zh}外）")
    if len(at) == size - 1 > 1 and size - 1 not in at:
        return Text(f" everywhere but for the last {one.en}", f"（除最后一个{one.zh}外）")
    if at == [size - 1]:
        return Text(f" for the last {one.en} only", f"（只在最后一个{one.zh}）")
    if at == [0]:
        return Text(f" for the first {one.en} only", f"（只在第一个{one.zh}）")
    return Text(f" for {one.en} {listed} only", f"（只在{one.zh} {listed}）")


def _by_mask(pair: Pair, wrong: Tensor) -> Text | None:
    if pair.mask is None:
        return None
    try:
        keep = (pair.mask != 0).expand(wrong.shape)
    except RuntimeError:
        return None
    if not bool(keep.any()) or bool(keep.all()):
        return None
    if not bool((wrong & keep).any()):
        return Text(", only where the mask forbids", "（只在掩码禁止的位置）")
    if not bool((wrong & ~keep).any()):
        return Text(", only where the mask allows", "（只在掩码允许的位置）")
    return None


def _by_diagonal(wrong: Tensor) -> Text | None:
    if wrong.dim() < 2 or wrong.shape[-1] != wrong.shape[-2]:
        return None
    n = wrong.shape[-1]
    row, column = torch.arange(n)[:, None], torch.arange(n)[None, :]
    for inside, words in (
        (row == column, Text(" on the diagonal only", "（只在对角线上）")),
        (row != column, Text(" off the diagonal only", "（只在对角线之外）")),
        (column >= row, Text(" on and above the diagonal only", "（只在对角线及以上）")),
        (column <= row, Text(" on and below the diagonal only", "（只在对角线及以下）")),
    ):
        if not bool((wrong & ~inside).any()):
            return words
    return None


def _sums_to_something(pair: Pair) -> Text | None:
    if not pair.wanted.dim() or not _ones(pair.wanted.sum(-1)) or not bool(pair.found.isfinite().all()):
        return None
    rows = pair.found.sum(-1)
    if _ones(rows):
        return None
    low, high = number(float(rows.min())), number(float(rows.max()))
    over = pair.over(pair.wanted.dim() - 1)
    en, zh = (low, low) if low == high else (f"between {low} and {high}", f" {low} 到 {high} ")
    return Text(f"sums to {en} over {over.en}, not to 1", f"对{over.zh}求和是 {zh.strip()}，而不是 1")


Test = Callable[[Pair], Text | None]
OF_NUMBERS: tuple[Test, ...] = (
    _not_finite,
    _coarse,
    _sums_elsewhere,
    _straight,
    _moved,
    function_of_that,
    with_another,
    _cut,
    _slanted,
    function_of_others,
    reduced,
    _some_zero,
    combined,
    _where,
    _sums_to_something,
)
OF_MASKS: tuple[Test, ...] = (_opposite, _uniform, _moved, _where)
