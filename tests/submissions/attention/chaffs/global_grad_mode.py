# fault: global-state-changed, output-detached
# line: 10
# what: set_grad_enabled(False) inside the function stays off for everybody
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    torch.set_grad_enabled(False)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
