"""Multi-head attention in every dtype, on a device, and how much it holds."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.multi_head_attention.probes import TARGET, case, random_mask, tensors
from grader.exercises.numerics import Numerics, Rounded, Size

__all__ = ["NUMERICS", "masked"]

POSITIONS = 128
SUFFICE = 3  # as in attention: the projections are small beside the weights
KEPT_FROM_ZERO = 1e-7  # by how much a divisor that is kept from zero by 1e-8 moves a weight
CAUSAL = torch.ones(POSITIONS, POSITIONS, dtype=torch.bool).tril()


def masked(dtype: torch.dtype) -> Probe:
    """With a mask: the fill has to be a number of the dtype that the scores have."""
    args = tensors(431, dtype=dtype, spread=0.7)
    return case("n-mask", "with a mask", "带掩码", args, mask=random_mask(432, 2, 6, 5))


def _wide(dtype: torch.dtype) -> Probe:
    args = tensors(433, 1, 4, 64, 64, dtype=dtype, spread=0.7)
    return case("n-wide", "64 keys, d_model = 64", "64 个键，d_model = 64", args, 4)


def _large(size: Size) -> Probe:
    S, width = size.S, size.H * size.d_k
    x = tensors(434, size.B, S, S, width, dtype=torch.float32, spread=1.0)[0]
    mask = torch.ones(S, S, dtype=torch.bool).tril()
    return case("large", "large", "大规模", (x, x, x), size.H, mask=mask, grad=True)


NUMERICS = Numerics(
    (Rounded(masked, 12, 6.0, KEPT_FROM_ZERO), Rounded(_wide, 64, 6.0, KEPT_FROM_ZERO)),
    large={TARGET: _large},
    square=case(
        "square", "square", "方阵", tensors(435, 1, 128, 128, 8, dtype=torch.float32), 2, mask=CAUSAL
    ),
    positions=POSITIONS,
    suffice=SUFFICE,
)
