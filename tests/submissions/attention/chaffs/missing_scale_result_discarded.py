# fault: missing-scale
# edge: fully-masked-row-nan
# line: 13
# what: torch.div returns a new tensor, which is thrown away
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    attn = query @ key.transpose(-1, -2)
    torch.div(attn, math.sqrt(d_k))
    if mask is not None:
        attn = attn.masked_fill(mask.logical_not(), -math.inf)
    attn = torch.softmax(attn, -1)
    if dropout:
        attn = dropout(attn)
    return attn @ value, attn
