# style: a fill of -1e9, or the lowest number that the dtype has; empty rows by torch.where on the row
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    fill = max(-1e9, torch.finfo(query.dtype).min)
    scores = torch.matmul(query, key.transpose(-2, -1)) * (1.0 / math.sqrt(query.size(-1)))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, fill)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        nothing = (mask != 0).sum(dim=-1, keepdim=True) == 0
        weights = torch.where(nothing, torch.zeros((), dtype=weights.dtype), weights)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
