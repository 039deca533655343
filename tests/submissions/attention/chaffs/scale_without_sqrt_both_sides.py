# fault: scale-without-sqrt
# line: 12
# what: query and key are both divided by sqrt(d_k), which makes d_k
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    root = math.sqrt(query.size(-1))
    q = query / root
    k = key / root
    scores = q @ k.mT
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
