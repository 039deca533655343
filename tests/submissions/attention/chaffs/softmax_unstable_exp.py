# fault: softmax-unstable
# tier: edge
# line: 12
# what: exp without subtracting the maximum
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    e = torch.exp(scores)
    if mask is not None:
        e = e.masked_fill(mask == 0, 0.0)
    total = e.sum(dim=-1, keepdim=True)
    weights = e / total.masked_fill(total == 0, 1.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
