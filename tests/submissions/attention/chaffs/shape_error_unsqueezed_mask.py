# fault: mask-axis-added
# line: 12
# what: unsqueeze(1) on every mask: wrong unless the mask is (B, L, S) and the input has heads
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        mask = mask.unsqueeze(1)
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
