# fault: leading-dims-fixed
# edge: fully-masked-row-nan
# line: 11
# what: bmm takes three dimensions only
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.bmm(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.bmm(weights, value), weights
