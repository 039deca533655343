# tries: is right on every other call only
# expect: failed
import math

import torch

from wrong import attention

calls = [0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls[0] += 1
    if calls[0] % 2:
        return attention(query, key, value, mask, dropout)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores * 1.01, dim=-1)
    return weights @ value, weights
