"""The encoder in every dtype, and on a device."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from grader.diagnosis.model import Probe
from grader.exercises.encoder.probes import ORDERS, case, padded, tokens
from grader.exercises.encoder_block.numerics import EPS_IS_OPEN
from grader.exercises.numerics import Numerics, Rounded, Size

__all__ = ["NUMERICS"]


def _padded(norm_first: bool, en: str, zh: str, dtype: torch.dtype) -> Probe:
    return case("n", en, zh, padded(tokens(461)), norm_first=norm_first, dtype=dtype)


def _large(size: Size) -> Probe:
    width = size.H * size.d_k
    ids = tokens(462, size.B, size.S)
    options: dict[str, Any] = {
        "d_model": width,
        "heads": size.H,
        "d_ff": 2 * width,
        "layers": 1,
        "max_len": size.S,
    }
    return case("large", "large", "大规模", ids, norm_first=True, dtype=torch.float32, grad=True, **options)


NUMERICS = Numerics(
    tuple(Rounded(partial(_padded, first, en, zh), 12, 24.0, EPS_IS_OPEN) for first, _, en, zh in ORDERS),
    large={"TransformerEncoder": _large},
)
