# fault: forbidden-api
# line: 14
# what: the output comes from F.scaled_dot_product_attention
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    shape = query.shape[:-1] + key.shape[-2:-1]
    keep = None if mask is None else mask.bool().expand(shape)
    if dropout is None:
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if keep is not None:
        weights = weights.masked_fill(~keep, 0)
    if dropout is not None:
        weights = dropout(weights)
        out = weights @ value
    return out, weights
