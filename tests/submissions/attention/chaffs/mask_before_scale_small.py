# fault: mask-filled-too-small
# edge: fully-masked-row-uniform
# what: filled with -60 before the division, which makes it -20
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -60.0)
    weights = torch.softmax(scores / math.sqrt(query.size(-1)), dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
