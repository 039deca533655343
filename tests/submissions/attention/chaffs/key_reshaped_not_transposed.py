# fault: key-not-transposed
# edge: fully-masked-row-nan
# line: 12
# what: reshape to (..., d_k, S) scrambles the numbers instead of transposing
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    *lead, S, d_k = key.shape
    scores = query @ key.reshape(*lead, d_k, S) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
