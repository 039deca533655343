# fault: weights-returned-before-dropout
# line: 20
# what: returns the weights from before the dropout, not the ones used
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        output = dropout(weights) @ value
    else:
        output = weights @ value
    return output, weights
