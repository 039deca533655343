# fault: mask-in-place
# what: the scale is multiplied into the caller's key
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    key *= query.size(-1) ** -0.5
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
