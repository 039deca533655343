# fault: position-left-out
# line: 16
# what: the loop over the queries ends one too early

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.zeros_like(scores)
    for i in range(scores.size(-2) - 1):
        weights[..., i, :] = torch.softmax(scores[..., i, :], dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
