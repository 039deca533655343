# fault: mask-truthiness
# edge: fully-masked-row-nan
# line: 12
# what: `if mask:` on a tensor of many elements raises
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(dim=-1)
    if dropout:
        weights = dropout(weights)
    return weights @ value, weights
