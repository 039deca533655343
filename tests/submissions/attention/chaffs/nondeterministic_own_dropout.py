# fault: nondeterministic
# line: 18
# what: a new nn.Dropout is made inside the function, eval() cannot switch it off
import math

import torch
from torch import nn


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is None:
        dropout = nn.Dropout(0.1)
    weights = dropout(weights)
    return weights @ value, weights
