# style: causal masks from a cache by size and device
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _triangle(size: int, device: "str | None") -> Tensor:
    return torch.tril(torch.ones((size, size), dtype=torch.bool, device=device))


def padding_mask(token_ids: Tensor, pad_id: int = 0) -> Tensor:
    return ~token_ids.eq(pad_id).unsqueeze(-2).unsqueeze(-2)


def causal_mask(size: int, device=None) -> Tensor:
    return _triangle(size, None if device is None else str(device)).clone()


def combine_masks(padding: Tensor, causal: Tensor) -> Tensor:
    return torch.minimum(padding.to(torch.uint8), causal.to(torch.uint8)).bool()


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    bias.masked_fill_(mask.logical_not(), -float("inf"))
    return scores + bias
