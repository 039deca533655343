# fault: returns-output-only
# line: 19
# what: only the weights are returned

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[-1] ** -0.5
    attn = query @ key.mT * scale
    if mask is not None:
        attn = torch.where(mask != 0, attn, float("-inf"))
    attn = F.softmax(attn, dim=-1)
    attn = torch.nan_to_num(attn, nan=0.0)
    if dropout is not None:
        attn = dropout(attn)
    out = attn @ value
    return attn
