# style: index assignment with tril_indices, typed signatures
from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def padding_mask(token_ids: Tensor, pad_id: int = 0) -> Tensor:
    mask = token_ids.clone().ne_(pad_id).to(torch.bool)
    return mask[:, None, None, :]


def causal_mask(size: int, device: torch.device | None = None) -> Tensor:
    mask = torch.zeros((size, size), dtype=torch.bool, device=device)
    r, c = torch.tril_indices(size, size, device=device)
    mask[r, c] = True
    return mask


def combine_masks(padding: Tensor, causal: Tensor) -> Tensor:
    both = torch.stack(torch.broadcast_tensors(padding.bool(), causal.bool()))
    return both.all(dim=0)


def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    forbidden = ~(mask > 0)
    return scores.masked_fill(forbidden, NEG_INF)
