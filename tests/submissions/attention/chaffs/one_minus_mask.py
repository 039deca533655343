# fault: mask-bool-subtraction
# edge: mask-overflow-half, fully-masked-row-uniform
# line: 14
# what: 1 - mask times a large negative number

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[-1] ** -0.5
    attn = query @ key.mT * scale
    if mask is not None:
        attn = attn + (1 - mask) * -1e9
    attn = F.softmax(attn, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)
    if dropout is not None:
        attn = dropout(attn)
    out = attn @ value
    return out, attn
