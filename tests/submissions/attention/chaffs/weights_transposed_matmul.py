# fault: weights-transposed
# line: 18
# what: the transposed weights are multiplied with the values
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        hide = mask.logical_not()
        weights = scores.masked_fill(hide, -torch.inf).softmax(-1).masked_fill(hide, 0)
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights.transpose(-2, -1) @ value, weights
