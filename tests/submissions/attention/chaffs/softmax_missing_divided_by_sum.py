# fault: softmax-missing
# line: 12
# what: scores divided by their sum, the exponential is missing
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask.bool(), scores, torch.zeros_like(scores))
    total = scores.sum(dim=-1, keepdim=True)
    weights = scores / torch.where(total == 0, torch.ones_like(total), total)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
