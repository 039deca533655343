# fault: causal-by-default
# line: 12
# what: adds a causal mask of its own that nobody asked for
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    L, S = scores.shape[-2:]
    causal = torch.ones(L, S, dtype=torch.bool, device=query.device).tril()
    keep = causal if mask is None else causal & mask.bool()
    scores = scores.masked_fill(~keep, -math.inf)
    weights = torch.softmax(scores, dim=-1).masked_fill(~keep, 0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
