# fault: softmax-wrong-axis
# what: the maximum that is subtracted is over the queries
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    e = torch.exp(scores - scores.amax(dim=-2, keepdim=True))
    if mask is not None:
        e = e.masked_fill(mask == 0, 0)
    weights = e / e.sum(dim=-1, keepdim=True).clamp(min=1e-300)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
