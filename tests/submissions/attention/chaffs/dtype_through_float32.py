# fault: dtype-changed
# line: 11
# what: computed in float32 and cast back: float64 loses its accuracy
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    dtype = query.dtype
    q, k, v = query.float(), key.float(), value.float()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    weights = weights.to(dtype)
    if dropout is not None:
        weights = dropout(weights)
    return (weights.float() @ v).to(dtype), weights
