# fault: length-fixed
# what: the mask is cut to [:L, :L], as in self-attention; other key lengths fail
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    L = query.size(-2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        mask = mask[..., :L, :L]
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * (mask != 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
