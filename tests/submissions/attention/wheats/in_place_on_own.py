# style: in-place operations, but only on tensors made in the function
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores /= math.sqrt(query.size(-1))
    hidden = None
    if mask is not None:
        hidden = mask.clone().to(torch.bool)
        hidden.logical_not_()
        scores.masked_fill_(hidden, float("-inf"))
        scores.masked_fill_(hidden.expand_as(scores).all(-1, keepdim=True), 0.0)
    weights = scores.softmax(dim=-1)
    if hidden is not None:
        weights = weights.masked_fill(hidden, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
