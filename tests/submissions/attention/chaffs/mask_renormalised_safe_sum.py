# fault: mask-after-softmax-renormalised
# tier: edge
# line: 14
# what: zeroed after the softmax and renormalised: zero weights when all allowed keys underflow
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.masked_fill(total == 0, 1.0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
