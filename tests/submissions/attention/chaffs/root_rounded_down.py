# fault: scale-rounded
# what: the square root is cut to a whole number, which shows only when d_k is no square
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.isqrt(query.size(-1))
    if mask is not None:
        keep = mask != 0
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * keep
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
