# fault: key-value-swapped
# line: 11
# what: the second argument is taken for the value

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q, v, k = query, key, value
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, v)
    return output, weights
