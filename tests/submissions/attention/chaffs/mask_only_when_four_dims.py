# fault: mask-only-sometimes
# line: 12
# what: the mask is used for four-dimensional input only
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    keep = None
    if mask is not None and query.dim() == 4:
        keep = mask != 0
        scores = scores.masked_fill(~keep, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if keep is not None:
        weights = weights.masked_fill(~keep, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
