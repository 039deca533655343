# fault: mask-filled-too-small
# edge: fully-masked-row-uniform
# line: 13
# what: an additive bias of -10, too weak to forbid
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores + (1.0 - mask.to(scores.dtype)) * -10.0
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
