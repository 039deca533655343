# style: a fill looked up by the query's dtype, and queries divided first
import math

import torch

LOWEST = {torch.float16: -65504.0, torch.bfloat16: -3.38e38}


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.shape[-1]
    scores = torch.einsum("...ld,...sd->...ls", query / math.sqrt(d_k), key)
    if mask is not None:
        lowest = LOWEST.get(query.dtype, -3.4e38)
        scores = scores.masked_fill(mask == 0, lowest)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * (mask != 0).to(weights.dtype)
    if dropout is not None:
        weights = dropout(weights)
    return torch.einsum("...ls,...sv->...lv", weights, value), weights
