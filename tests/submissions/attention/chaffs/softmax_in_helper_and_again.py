# fault: softmax-twice
# line: 20
# what: a helper that has the softmax inside is called on the weights

import math

import torch


def normalise(x):
    return torch.softmax(x, dim=-1)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = normalise(scores)
    weights = normalise(weights)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
