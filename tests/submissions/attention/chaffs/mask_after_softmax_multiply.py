# fault: mask-after-softmax
# line: 13
# what: weights multiplied by the mask after the softmax, rows no longer sum to one
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
