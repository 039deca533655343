# fault: scale-depends-on-mask
# what: the branch with a mask forgets the scale
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1)
    if mask is None:
        weights = (scores / math.sqrt(query.size(-1))).softmax(dim=-1)
    else:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
