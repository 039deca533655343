# fault: dtype-changed
# what: results are written into zeros of the default dtype
import itertools
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    lead = query.shape[:-2]
    L, S = query.size(-2), key.size(-2)
    weights = torch.zeros(*lead, L, S)
    for index in itertools.product(*map(range, lead)):
        s = query[index] @ key[index].T / math.sqrt(query.size(-1))
        if mask is not None:
            keep = (mask != 0).expand(*lead, L, S)[index]
            s = s.masked_fill(~keep, torch.finfo(s.dtype).min)
            weights[index] = (s.softmax(1) * keep).float()
        else:
            weights[index] = s.softmax(1).float()
    if dropout is not None:
        weights = dropout(weights)
    return (weights.to(value.dtype) @ value).float(), weights
