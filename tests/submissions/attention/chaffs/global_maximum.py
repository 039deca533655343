# fault: softmax-unstable
# tier: edge
# what: the maximum of the whole tensor is subtracted: rows far below it underflow
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    e = (scores - scores.max()).exp()
    if mask is not None:
        e = e * (mask != 0)
    weights = e / e.sum(-1, keepdim=True).clamp(min=torch.finfo(e.dtype).tiny)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
