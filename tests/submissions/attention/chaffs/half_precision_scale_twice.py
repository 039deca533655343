# fault: half-precision-overflow
# tier: edge
# line: 12
# what: scores are multiplied by 1e5 and divided again: infinite in float16
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    # "more digits before the division"
    scores = (query * 1e5) @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.size(-1)) / 1e5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
