"""The encoder block in every dtype, and on a device."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from grader.diagnosis.model import Probe
from grader.exercises.encoder_block.probes import ORDERS, block_case, feed_case, inputs, random_mask
from grader.exercises.numerics import Numerics, Rounded, Size

__all__ = ["NUMERICS", "masked"]

EPS_IS_OPEN = 2e-3  # an eps of the norms of 1e-3 in place of 1e-5


def masked(norm_first: bool, en: str, zh: str, dtype: torch.dtype) -> Probe:
    """With a mask."""
    x, mask = inputs(451, dtype=dtype, spread=1.0), random_mask(452, 2, 5, 5)
    return block_case("n", en, zh, x, norm_first=norm_first, mask=mask)


def _feed(dtype: torch.dtype) -> Probe:
    return feed_case("n", "FeedForward", "FeedForward", inputs(453, dtype=dtype, spread=1.0))


def _large(size: Size) -> Probe:
    width = size.H * size.d_k
    x = inputs(454, size.B, size.S, width, dtype=torch.float32, spread=1.0)
    mask = torch.ones(size.S, size.S, dtype=torch.bool).tril()
    options: dict[str, Any] = {"heads": size.H, "d_ff": 2 * width, "mask": mask, "grad": True}
    return block_case("large", "large", "大规模", x, norm_first=True, **options)


NUMERICS = Numerics(
    (
        Rounded(_feed, 12, 4.0),
        *(Rounded(partial(masked, first, en, zh), 12, 12.0, EPS_IS_OPEN) for first, _, en, zh in ORDERS),
    ),
    large={"EncoderBlock": _large},
)
