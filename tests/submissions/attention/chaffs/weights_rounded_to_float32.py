# fault: dtype-changed
# line: 40
# what: the weights pass through float32 before they meet the values
"""Scaled dot-product attention.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.
"""

import math
from collections.abc import Callable

import torch


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    dropout: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``softmax(query @ key^T / sqrt(d_k)) @ value`` and the weights used (equation 1).

    query (..., L, d_k), key (..., S, d_k), value (..., S, d_v); mask broadcasts to (..., L, S)
    and keeps where it is True or nonzero. A query whose keys are all masked gets zeros.
    """
    d_k = query.size(-1)
    # Scaling the query, not the product, keeps q @ k^T in the range of float16.
    scores = (query / math.sqrt(d_k)) @ key.transpose(-2, -1)  # (..., L, S)
    if mask is None:
        weights = scores.softmax(dim=-1)  # (..., L, S)
    else:
        # The lowest finite number rather than -inf: softmax over a row of -inf is NaN, and so
        # is its gradient. The second fill turns a fully masked (uniform) row into zeros.
        blocked = mask == 0  # (..., L, S)
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)  # (..., L, S)
        weights = scores.softmax(dim=-1).masked_fill(blocked, 0.0)  # (..., L, S)
    if dropout is not None:
        weights = dropout(weights)  # (..., L, S)
    return (weights:=weights.float().to(value.dtype)) @ value, weights  # (..., L, d_v), (..., L, S)
