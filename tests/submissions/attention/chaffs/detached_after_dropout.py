# fault: output-detached
# line: 14
# what: the weights are detached after the dropout, so no gradient reaches query and key when there is one
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) if mask is None else scores.softmax(dim=-1).masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights.detach())
    return weights @ value, weights
