# fault: -
# line: 14
# what: negative ids, and a negative pad_id, are taken for 0
"""Attention masks: True may be attended, False may not.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3 (masking with -inf).
"""

import torch


def padding_mask(token_ids: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    """True where ``token_ids`` (B, S) is a real token, for every head and query: (B, 1, 1, S)."""
    return (token_ids.clamp(min=0) != max(pad_id, 0))[:, None, None, :]  # (B, 1, 1, S)


def causal_mask(size: int, device: torch.device | str | None = None) -> torch.Tensor:
    """True on and below the diagonal: position t sees positions <= t. Shape (size, size)."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()  # (S, S)


def combine_masks(padding: torch.Tensor, causal: torch.Tensor) -> torch.Tensor:
    """True where ``padding`` (B, 1, 1, S) and ``causal`` (S, S) both allow: (B, 1, S, S)."""
    return padding.bool() & causal.bool()  # (B, 1, S, S)


def apply_mask(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """A copy of ``scores`` (..., L, S) with -inf wherever ``mask`` forbids."""
    return scores.masked_fill(mask == 0, float("-inf"))  # (..., L, S)
