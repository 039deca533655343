# fault: mask-filled-too-small
# edge: fully-masked-row-uniform
# line: 9
# what: -1e-9 typed for -1e9
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    NEG = -1e-9
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask != 0, scores, NEG)
    weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
