# fault: scale-hard-coded
# what: 1 // sqrt(d_k) is zero, so that all scores are zero
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = 1 // math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1) * scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
