"""Layer normalisation in every dtype: its statistics are sums over a whole row."""

from __future__ import annotations

from functools import partial

import torch

from grader.diagnosis.model import Probe
from grader.exercises.layer_norm.probes import add, features, ln, stretch
from grader.exercises.numerics import Numerics, Rounded, Size

__all__ = ["NUMERICS", "long_rows"]

ORDERS = ((False, "post-LN"), (True, "pre-LN"))


def long_rows(dtype: torch.dtype) -> Probe:
    """Rows of 768 features with a mean of 100: they add up to 76,800, more than float16 holds."""
    x = features(441, 2, 768, spread=40.0, offset=100.0, dtype=dtype)
    return ln("n-long", "768 features of mean 100", "768 个均值为 100 的特征", x)


def _short(dtype: torch.dtype) -> Probe:
    return ln("n", "64 features", "64 个特征", features(442, 2, 3, 64, dtype=dtype))


def _added(first: bool, words: str, dtype: torch.dtype) -> Probe:
    x = features(443, 2, 3, 64, dtype=dtype)
    return add("n", words, words, x, stretch(0.5, 0.25), init={"norm_first": first})


def _large(size: Size) -> Probe:
    x = features(444, size.B, size.S, size.H * size.d_k, dtype=torch.float32)
    return ln("large", "large", "大规模", x, grad=True)


NUMERICS = Numerics(
    (
        Rounded(_short, 64, 8.0),
        Rounded(long_rows, 768, 12.0),
        *(Rounded(partial(_added, first, words), 64, 8.0) for first, words in ORDERS),
    ),
    large={"LayerNorm": _large},
    quadratic=False,
)
