# fault: fully-masked-row-nan-gradient
# tier: edge
# line: 15
# what: the values of empty rows are repaired, but their gradients are NaN
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        bias = torch.log(mask.to(scores.dtype))
        scores = scores + bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
