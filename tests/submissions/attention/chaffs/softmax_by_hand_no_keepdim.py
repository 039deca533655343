# fault: softmax-wrong-axis
# line: 17
# what: hand-written softmax that divides by the column sums
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    scores = scores - scores.amax(dim=-2, keepdim=True)
    e = torch.exp(scores)
    if mask is not None:
        e = e.masked_fill(mask == 0, 0)
    weights = e / e.sum(dim=-2, keepdim=True).clamp(min=1e-7)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
