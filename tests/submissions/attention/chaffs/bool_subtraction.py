# fault: mask-bool-subtraction
# line: 12
# what: 1 - mask on a boolean tensor raises
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        hide = (1 - mask).bool()
        scores = scores.masked_fill(hide, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(hide, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
