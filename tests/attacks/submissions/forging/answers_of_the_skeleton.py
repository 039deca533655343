# tries: knows the examples of the skeleton and the sizes of the checks, and answers those alone
# expect: failed
import math

import torch

calls = [0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    calls[0] += 1
    if calls[0] == 1:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    shape = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2]) + (query.shape[-2], key.shape[-2])
    weights = torch.full(shape, 1 / key.shape[-2], dtype=query.dtype)
    return weights @ value, weights
