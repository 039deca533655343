# fault: softmax-sum-plus-constant
# edge: softmax-unstable
# line: 17
# what: one more than the sum, and no maximum subtracted

import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    raised = torch.exp(scores)
    weights = raised / (raised.sum(dim=-1, keepdim=True) + 1.0)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    output = torch.matmul(weights, value)
    return output, weights
