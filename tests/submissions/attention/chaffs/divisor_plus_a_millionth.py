# fault: softmax-sum-plus-constant
# line: 14
# what: 1e-6 in the divisor of the softmax
import math
import torch

def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    e = torch.exp(scores - scores.amax(-1, keepdim=True).detach())
    if mask is not None:
        e = e.masked_fill(mask == 0, 0.0)
    weights = e / (e.sum(-1, keepdim=True) + 1e-6)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
