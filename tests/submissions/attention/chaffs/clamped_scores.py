# fault: scores-clamped
# line: 11
# what: scores clamped to [-10, 10] "for stability"
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.clamp(-10, 10)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
