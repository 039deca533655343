# fault: key-not-transposed
# line: 10
# what: .T reverses every axis, also the batch
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.T / math.sqrt(query.shape[-1])
    if mask is not None:
        hide = mask == 0
        weights = scores.masked_fill(hide, -torch.inf).softmax(-1).masked_fill(hide, 0)
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
