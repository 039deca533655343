# fault: causal-by-default
# what: without a mask a causal one is made up
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    if mask is None:
        mask = torch.ones(query.size(-2), key.size(-2)).tril().bool()
    keep = mask != 0
    scores = (query @ key.mT) * query.size(-1) ** -0.5
    scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1) * keep
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
