# fault: leading-dims-fixed
# line: 10
# what: unpacks B, L, d_k: exactly three dimensions
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    B, L, d_k = query.shape
    scores = query @ key.permute(0, 2, 1) / math.sqrt(d_k)
    if mask is not None:
        hide = mask.logical_not()
        scores = scores.masked_fill(hide, -math.inf)
    weights = scores.softmax(2)
    if mask is not None:
        weights = weights.masked_fill(hide, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
