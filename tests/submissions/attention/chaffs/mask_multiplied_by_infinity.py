# fault: mask-zero-times-infinity
# line: 12
# what: (1 - mask) * -inf is NaN wherever the mask allows
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores + (1 - mask.to(scores.dtype)) * float("-inf")
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
