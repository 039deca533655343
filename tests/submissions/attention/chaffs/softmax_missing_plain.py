# fault: softmax-missing
# line: 13
# what: masked scores are used as weights, no softmax
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 0.0)
    weights = scores
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
