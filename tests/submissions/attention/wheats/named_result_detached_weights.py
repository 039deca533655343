# style: a NamedTuple with an output and weights that carry no gradient
from typing import Callable, NamedTuple, Optional

import torch


class AttentionResult(NamedTuple):
    output: torch.Tensor
    weights: torch.Tensor


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Optional[torch.Tensor] = None,
    dropout: Optional[Callable[[torch.Tensor], torch.Tensor]] = None,
) -> AttentionResult:
    half_scale = query.size(-1) ** -0.25
    scores = (query * half_scale) @ (key * half_scale).transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(torch.eq(mask, 0), torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = torch.where(mask.bool(), weights, torch.zeros_like(weights))
    if dropout is not None:
        weights = dropout(weights)
    return AttentionResult(output=weights @ value, weights=weights.detach())
