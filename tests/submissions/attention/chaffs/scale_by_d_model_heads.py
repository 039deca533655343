# fault: scale-by-d-model
# line: 13
# what: divided by sqrt(heads * d_k), the width of the model
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    num_heads = query.size(-3) if query.dim() > 2 else 1
    d_model = num_heads * query.size(-1)
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(d_model)
    if mask is not None:
        keep = mask.bool()
        scores = scores.masked_fill(~keep, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(~keep, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
