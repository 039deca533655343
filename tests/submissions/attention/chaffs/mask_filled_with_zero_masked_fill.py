# fault: mask-filled-with-zero
# line: 14
# what: masked scores are set to 0, which still gets weight
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """把被遮住的位置填成 0。"""
    d_k = query.size(-1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 0)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * (mask != 0).any(dim=-1, keepdim=True)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
