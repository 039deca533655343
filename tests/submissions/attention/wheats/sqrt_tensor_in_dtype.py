# style: divisor made as a tensor in the query's dtype and device
import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout=None
) -> tuple[Tensor, Tensor]:
    root = torch.sqrt(torch.tensor([query.size(-1)], dtype=query.dtype, device=query.device))
    scores: Tensor = torch.matmul(query, key.transpose(-2, -1)) / root
    if mask is not None:
        allowed = mask.type(torch.bool)
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights: Tensor = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.mul(allowed.any(dim=-1, keepdim=True))
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
