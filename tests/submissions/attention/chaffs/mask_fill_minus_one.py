# fault: mask-filled-too-small
# line: 14
# what: masked scores are set to -1
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    k_t = key.permute(*range(key.dim() - 2), -1, -2)
    scores = query.matmul(k_t).div(query.size(-1) ** 0.5)
    empty = None
    if mask is not None:
        mask = mask.bool().expand(scores.shape)
        empty = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask, -1)
    weights = scores.softmax(dim=-1)
    if empty is not None:
        weights = weights.masked_fill(empty, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights.matmul(value), weights
