# fault: key-is-query
# line: 10
# what: the key is never used: query @ query^T
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q, k, v = query, query, value
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights
