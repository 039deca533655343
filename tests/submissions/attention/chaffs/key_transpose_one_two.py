# fault: key-not-transposed
# line: 10
# what: transpose(1, 2) is right for three dimensions only
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(1, 2))
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask.bool()
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~keep, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
