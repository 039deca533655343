# style: type hints, assertions, early returns
from __future__ import annotations

from typing import Final

import torch
from torch import BoolTensor, Tensor

NEGATIVE_INFINITY: Final = float("-inf")


def padding_mask(token_ids: Tensor, pad_id: int = 0) -> BoolTensor:
    assert token_ids.ndim == 2, token_ids.shape
    real = token_ids != pad_id
    return real.view(real.shape[0], 1, 1, real.shape[1])


def causal_mask(size: int, device: torch.device | str | None = None) -> BoolTensor:
    assert size >= 1
    if size == 1:
        return torch.ones(1, 1, dtype=torch.bool, device=device)
    smaller = causal_mask(size - 1, device)
    wider = torch.nn.functional.pad(smaller, (0, 1, 0, 1), value=False)
    wider[-1] = True
    return wider


def combine_masks(padding: Tensor, causal: Tensor) -> BoolTensor:
    S = causal.shape[0]
    assert padding.shape[1:] == (1, 1, S)
    return (padding != 0).repeat(1, 1, S, 1) & (causal != 0)


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    if bool((mask != 0).all()):
        return scores.clone()
    return scores.masked_fill(mask == 0, NEGATIVE_INFINITY)
