# fault: mask-filled-too-small
# line: 12
# what: +1e4 instead of -1e4 at the masked scores (sign lost)
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 1e4)
        dead = (mask == 0).all(-1, keepdim=True)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(dead, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
