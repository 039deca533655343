"""Positions in every dtype: bfloat16 counts to 256 and float16 to 2048, and sequences are longer."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.numerics import Numerics, Rounded, Size
from grader.exercises.positional_encoding.probes import FIXED, LEARNED, module_case, numbers
from grader.text import Text

__all__ = ["LONG", "NUMERICS", "far"]

# for each dtype a length at which its whole numbers have been used up; and 260 where that is beyond reach
LONG = {torch.bfloat16: 260, torch.float16: 2052}

TITLE = Text("long sequence", "长序列")


def far(target: str, dtype: torch.dtype) -> Probe:
    """One more position than the dtype can count, and three more."""
    S = LONG.get(dtype, 260)
    words = f"{S} positions", f"{S} 个位置"
    return module_case(target, "n", *words, numbers(421, 1, S, 2, dtype=dtype), max_len=S + 8)


def _rounded(target: str) -> Rounded:
    return Rounded(lambda dtype: far(target, dtype).but(title=TITLE), 2, 0.0)


def _large(target: str, size: Size) -> Probe:
    x = numbers(422, size.B, size.S, size.H * size.d_k, dtype=torch.float32)
    return module_case(target, "large", "large", "大规模", x, max_len=size.S, grad=True)


NUMERICS = Numerics(
    (_rounded(FIXED), _rounded(LEARNED)),
    large={FIXED: lambda size: _large(FIXED, size), LEARNED: lambda size: _large(LEARNED, size)},
    quadratic=False,
)
