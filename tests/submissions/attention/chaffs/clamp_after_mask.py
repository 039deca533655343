# fault: scores-clamped
# line: 14
# what: clamped after the mask, so that -inf becomes -50

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[-1] ** -0.5
    attn = query @ key.mT * scale
    if mask is not None:
        attn = attn.masked_fill(mask == 0, float("-inf"))
    attn = attn.clamp(min=-50, max=50)
    attn = F.softmax(attn, dim=-1)
    if dropout is not None:
        attn = dropout(attn)
    out = attn @ value
    return out, attn
