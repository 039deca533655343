# fault: mask-ignored
# line: 11
# what: the mask argument is never used
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    # TODO mask?
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
