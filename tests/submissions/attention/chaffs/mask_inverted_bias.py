# fault: mask-inverted
# edge: fully-masked-row-nan
# line: 13
# what: the additive bias is built from the mask, not from its complement
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.shape[-1]
    scores = query @ key.transpose(-1, -2) / d_k**0.5
    if mask is not None:
        bias = torch.zeros_like(scores)
        bias[mask.bool().expand_as(bias)] = float("-inf")
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
