# fault: mask-needs-full-shape
# what: scores[mask == 0] = -inf works only for a mask of the same shape as the scores
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores[mask == 0] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * (mask != 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
