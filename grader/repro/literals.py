"""Numbers and tensors as Python: exact where they go in, rounded where they are expected."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader.repro.parts import memory_order

__all__ = ["exact", "number", "rounded", "short"]

LINE = 88  # characters
ROUND_TO = (4, 5, 6, 8, 10, 12, 15, 17)  # significant digits


def number(value: float, dtype: torch.dtype = torch.float64) -> str:
    """The shortest decimal that the dtype reads back as this very number; whole numbers keep a dot."""
    if value != value or math.isinf(value):
        return "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
    if value == int(value) and abs(value) < 1e6:
        return f"{value:.1f}"
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if float(torch.tensor(float(text), dtype=dtype)) == value:
            break
    return _dotted(text)


def _dotted(text: str) -> str:
    return text if any(c in text for c in ".en") else f"{text}.0"


def exact(tensor: Tensor) -> str:
    """A literal that gives back the tensor, bit by bit, with its strides where it is a transposed one."""
    if tensor.is_contiguous() or tensor.numel() < 2:
        return _tensor(tensor, lambda v: number(v, tensor.dtype))
    if 0 in tensor.stride():
        base = tensor[tuple(slice(0, 1) if s == 0 else slice(None) for s in tensor.stride())]
        return f"{exact(base.contiguous())}.expand({', '.join(map(str, tensor.shape))})"
    order = memory_order(tensor)
    base = tensor.permute(order)
    moved = [d for d in range(tensor.dim()) if order[d] != d]
    literal_ = exact(base.contiguous())
    if len(moved) == 2:
        return f"{literal_}.transpose({moved[0]}, {moved[1]})"
    back = [order.index(d) for d in range(tensor.dim())]
    return f"{literal_}.permute({', '.join(map(str, back))})"


def short(tensor: Tensor) -> str:
    """The same for a weight: zeros, ones and the identity by name."""
    dtype = "" if tensor.dtype is torch.float32 else f", dtype={tensor.dtype}"
    sizes = ", ".join(map(str, tensor.shape))
    if tensor.numel() > 1:
        if not bool(tensor.any()):
            return f"torch.zeros({sizes}{dtype})"
        if bool((tensor == 1).all()):
            return f"torch.ones({sizes}{dtype})"
        square = tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]
        if square and torch.equal(tensor, torch.eye(tensor.shape[0], dtype=tensor.dtype)):
            return f"torch.eye({tensor.shape[0]}{dtype})"
    return exact(tensor)


def rounded(tensor: Tensor, within: float) -> tuple[str, int]:
    """A literal whose numbers are off by no more than `within`, with as few digits as that takes."""
    values = tensor.double()
    for digits in ROUND_TO:
        near = torch.tensor([_to(v, digits) for v in values.reshape(-1).tolist()], dtype=torch.float64)
        off = (near.reshape(values.shape) - values).abs().nan_to_num(nan=0.0)
        if not off.numel() or float(off.max()) <= within:
            break
    return _tensor(tensor, lambda v: _dotted_or_named(v, digits)), digits


def _to(value: float, digits: int) -> float:
    return value if value != value or math.isinf(value) else float(f"{value:.{digits}g}")


def _dotted_or_named(value: float, digits: int) -> str:
    if value != value or math.isinf(value):
        return number(value)
    if value == 0:
        return "0.0"
    return _dotted(f"{value:.{digits}g}")


def _tensor(tensor: Tensor, word: Any) -> str:
    dtype = tensor.dtype
    words = _nested(tensor.tolist(), word if dtype.is_floating_point else str)
    plain = dtype in (torch.float32, torch.bool, torch.int64) and tensor.numel()
    return f"torch.tensor({words})" if plain else f"torch.tensor({words}, dtype={dtype})"


def _nested(value: Any, word: Any, depth: int = 1) -> str:
    """Nested lists on one line, or where that is too long with a line for each item of the outermost."""
    if not isinstance(value, list):
        return str(word(value))
    items = [_nested(v, word, depth + 1) for v in value]
    line = f"[{', '.join(items)}]"
    if len(line) <= LINE - 4 * depth and "\n" not in line:
        return line
    inner = "".join(f"\n{' ' * 4 * depth}{item}," for item in items)
    return f"[{inner}\n{' ' * 4 * (depth - 1)}]"
