# fault: output-detached
# line: 10
# what: the scores are computed from detached copies
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query.detach()
    k = key.detach()
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    if dropout is not None:
        weights = dropout(weights)
    return torch.matmul(weights, value), weights
