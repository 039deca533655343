"""Attention in every dtype, on a device, and how much it holds."""

from __future__ import annotations

import torch

from grader.diagnosis.model import Probe
from grader.exercises.attention.probes import TARGET, case, random_mask, tensors
from grader.exercises.numerics import Numerics, Rounded, Size
from grader.text import Text

__all__ = ["NUMERICS", "masked"]

POSITIONS = 128
SUFFICE = 3  # scores, weights, and the weights with rows cleared: so many the reference holds
KEPT_FROM_ZERO = 1e-7  # by how much a divisor that is kept from zero by 1e-8 moves a weight
CAUSAL = torch.ones(POSITIONS, POSITIONS, dtype=torch.bool).tril()


def masked(dtype: torch.dtype) -> Probe:
    """With a mask: the fill has to be a number of the dtype that the scores have."""
    args = tensors(401, (2, 3), 6, 16, 16, 8, dtype=dtype, spread=0.7)
    return case("n-mask", "with a mask", "带掩码", args, mask=random_mask(402, 6, 16))


def _long(dtype: torch.dtype) -> Probe:
    args = tensors(403, (2,), 4, 256, 64, 8, dtype=dtype, spread=0.7)
    return case("n-long", "256 keys", "256 个键", args)


def _beyond(dtype: torch.dtype) -> Probe:
    """Scores of at most 600, whose products before the scaling reach 9,600 times 8."""
    query, key, value = tensors(404, (2,), 4, 6, 256, 8, spread=1.0)
    query = query / query.norm(dim=-1, keepdim=True) * 4800
    key = key / key.norm(dim=-1, keepdim=True)
    key[:, 0] = query[:, 0] / 4800 * 18  # 86,400 before the scaling, 5,400 after it
    args = tuple(t.to(dtype) for t in (query, key, value))
    return case("n-beyond", "products beyond float16", "乘积超出 float16", args)


def _large(size: Size) -> Probe:
    lead = (size.B, size.H)
    args = tensors(405, lead, size.S, size.S, size.d_k, size.d_k, dtype=torch.float32, spread=1.0)
    mask = torch.ones(size.S, size.S, dtype=torch.bool).tril()
    return case("large", "large", "大规模", args, mask=mask, grad=True)


NUMERICS = Numerics(
    (
        Rounded(masked, 16, 4.0, KEPT_FROM_ZERO),
        Rounded(_long, 256, 4.0, KEPT_FROM_ZERO),
        Rounded(
            _beyond,
            256,
            5400.0,
            KEPT_FROM_ZERO,
            Text(
                "the products of query and key pass 65504, the largest float16, before they are divided: "
                "the query divided first stays in range",
                "query 与 key 的乘积在缩放之前就超过了 float16 的最大值 65504：先缩放 query 就不会超出范围",
            ),
        ),
    ),
    large={TARGET: _large},
    square=case("square", "square", "方阵", tensors(406, (1, 2), 128, 128, 4, 4, torch.float32), mask=CAUSAL),
    positions=POSITIONS,
    suffice=SUFFICE,
)
