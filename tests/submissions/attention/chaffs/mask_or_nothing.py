# fault: mask-truthiness
# line: 11
# what: `mask or None` asks a whole tensor whether it is true

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    mask = mask or None
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
