# fault: scale-multiplied
# edge: fully-masked-row-nan
# line: 12
# what: multiplied by sqrt(d_k) instead of divided
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = math.sqrt(query.size(-1))
    scores = torch.matmul(query, key.transpose(-2, -1)) * scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
