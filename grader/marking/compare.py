"""The one place that compares what came back with what was expected, and says how they differ.

The tolerance follows from the dtype: a result that is computed from a few sums of products, each
rounded to a unit ``eps``, and then passed through a function that amplifies an error by the
probe's `condition` (the softmax turns an absolute error of a logit, at most ``eps`` times its
magnitude, into a relative error of a weight), is right to a small multiple of
``eps * (2 + condition)``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.submission.observation import Opaque
from grader.text import Text

__all__ = ["BITS", "Difference", "compare", "dtype_word", "number", "numbers", "place", "shape", "tolerance"]

BITS = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}  # that a dtype keeps
HALF = (torch.float16, torch.bfloat16)
MULTIPLE = {torch.float64: 64.0, torch.float32: 16.0, torch.float16: 6.0, torch.bfloat16: 6.0}
# a softmax whose divisor is kept from being 0 by 1e-8 is right, also below a projection, which adds up a
# little more than it gives; float32 would not show it, and a step that is taken in float32 is off by more
SMALLEST = {torch.float64: 1.5e-8}


def tolerance(dtype: torch.dtype, condition: float, amplified: float = 1.0) -> float:
    """The largest difference allowed, relative to the largest expected value (at least 1).

    amplified: by how much more than the values; gradients are made of products of several of them.
    """
    multiple = MULTIPLE.get(dtype, 16.0)
    smallest = SMALLEST.get(dtype, 0.0) * amplified
    return max(smallest, multiple * torch.finfo(dtype).eps * (2.0 + condition * amplified))


class Difference(Exception):
    """Raised with the sentence that says how a value differs."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


def number(value: float, digits: int = 4) -> str:
    """A number as a learner reads it: four significant digits."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return f"{value:.{digits}g}"


def numbers(have: float, want: float) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as it takes to see that."""
    for digits in range(4, 17):
        shown = number(have, digits), number(want, digits)
        if shown[0] != shown[1]:
            break
    return shown


def place(name: str, index: tuple[int, ...]) -> str:
    """``weights[0, 2, 1]``."""
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def compare(
    name: str,
    found: Any,
    wanted: Tensor,
    *,
    condition: float,
    dtype: torch.dtype | None,
    amplified: float = 1.0,
) -> None:
    """Raises `Difference` unless `found` has the shape, the dtype and the values of `wanted`."""
    if isinstance(found, Opaque):
        raise Difference(
            Text(
                f"{name} is a {found.type}, not a tensor",
                f"{name} 是 {found.type}，而不是张量",
            )
        )
    if not isinstance(found, Tensor):
        what = "None" if found is None else type(found).__name__
        raise Difference(Text(f"{name} is {what}, not a tensor", f"{name} 是 {what}，而不是张量"))
    if found.shape != wanted.shape:
        raise Difference(
            Text(
                f"{name} has shape {shape(found)}, expected {shape(wanted)}",
                f"{name} 的形状是 {shape(found)}，应为 {shape(wanted)}",
            )
        )
    expected_dtype = dtype or wanted.dtype
    if found.dtype != expected_dtype:
        have, want = dtype_word(found.dtype), dtype_word(expected_dtype)
        raise Difference(
            Text(f"{name} has dtype {have}, expected {want}", f"{name} 的 dtype 是 {have}，应为 {want}")
        )
    if wanted.numel():
        _values(name, found, wanted, condition, amplified)


def shape(tensor: Tensor) -> str:
    return f"({', '.join(map(str, tensor.shape))}{',' if tensor.dim() == 1 else ''})"


def dtype_word(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _values(name: str, found: Tensor, wanted: Tensor, condition: float, amplified: float) -> None:
    if not wanted.is_floating_point():
        wrong = found != wanted
        if bool(wrong.any()):
            raise Difference(_first(name, found, wanted, wrong, None))
        return
    a, b = found.double(), wanted.double()
    largest = float(b.abs().max())
    allowed = tolerance(found.dtype, condition, amplified) * max(1.0, largest)
    if largest < float("inf") and bool((a - b).abs().max() <= allowed):
        return  # the usual case, settled in one look
    same = (a == b) | (a.isnan() & b.isnan())
    finite = b[b.isfinite()]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    allowed = tolerance(found.dtype, condition, amplified) * scale
    difference = torch.where(same, torch.zeros_like(a), (a - b).abs())
    wrong = ~(difference <= allowed)  # NaN is wrong too
    if bool(wrong.any()):
        text = _first(name, found, wanted, wrong, difference)
        raise Difference(text + _half(found.dtype, allowed, difference))


def _half(dtype: torch.dtype, allowed: float, difference: Tensor) -> Text:
    """In half precision: how much would have been rounding."""
    if dtype not in HALF or not bool(difference.isfinite().all()):
        return Text("", "")
    word, bits, size = dtype_word(dtype), BITS[dtype], number(allowed, 2)
    return Text(
        f"; {word} keeps {bits} bits, and errors up to {size} would be rounding",
        f"；{word} 有 {bits} 位有效数字，不超过 {size} 的误差才算舍入",
    )


def _first(name: str, found: Tensor, wanted: Tensor, wrong: Tensor, difference: Tensor | None) -> Text:
    where = tuple(int(i) for i in wrong.nonzero()[0])
    if found.dtype is torch.bool:
        have, want = str(bool(found[where])), str(bool(wanted[where]))
    else:
        have, want = numbers(float(found[where]), float(wanted[where]))
    spot = place(name, where)
    count, of = int(wrong.sum()), wrong.numel()
    en = f"{spot} is {have}, expected {want}"
    zh = f"{spot} 是 {have}，应为 {want}"
    if of > 1:
        en += f" ({count} of {of} values differ"
        zh += f"（{of} 个值中有 {count} 个不同"
        if difference is not None and bool(difference.isfinite().all()):
            largest = number(float(difference.max()))
            en += f", by up to {largest}"
            zh += f"，最大相差 {largest}"
        en += ")"
        zh += "）"
    return Text(en, zh)
