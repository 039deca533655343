# fault: scale-after-softmax
# edge: fully-masked-row-nan
# line: 16
# what: the weights are divided by sqrt(d_k), not the scores
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = F.softmax(scores, dim=-1) / math.sqrt(d_k)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
