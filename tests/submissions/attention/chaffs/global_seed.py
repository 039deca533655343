# fault: global-state-changed
# line: 10
# what: reseeds the global generator inside the function
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    torch.manual_seed(0)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
