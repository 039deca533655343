# fault: shape-error
# line: 10
# what: query * key element by element, without the sum over the features
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query * key / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
