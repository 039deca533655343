# fault: weights-rounded
# line: 16
# what: weights rounded to three digits "for display" and then used
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    weights = torch.round(weights * 1000) / 1000
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
