# fault: mask-after-softmax
# what: -1e9 is written into the weights, after the softmax
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, -1e9)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
