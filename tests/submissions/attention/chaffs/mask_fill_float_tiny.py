# fault: mask-filled-with-zero
# edge: fully-masked-row-uniform
# line: 11
# what: finfo.tiny is a very small positive number, not the lowest one
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        smallest = torch.finfo(scores.dtype).tiny
        scores = scores.masked_fill(mask.logical_not(), smallest)
    weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
