# style: exponentials multiplied by the mask; the maximum is over allowed keys only
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = (query / query.size(-1) ** 0.5).matmul(key.transpose(-2, -1))
    keep = torch.ones_like(scores) if mask is None else mask.to(scores).expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    allowed_only = torch.where(keep > 0, scores, lowest)
    peak = allowed_only.amax(dim=-1, keepdim=True).detach()
    # clamped, so that a large forbidden score cannot overflow
    e = torch.exp((scores - peak).clamp(max=0)) * keep
    weights = e / e.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
    if dropout is not None:
        weights = dropout(weights)
    return weights.matmul(value), weights
