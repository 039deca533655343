# fault: softmax-twice
# edge: fully-masked-row-nan
# line: 16
# what: the weights are put through the softmax again

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[-1] ** -0.5
    attn = query @ key.mT * scale
    if mask is not None:
        attn = torch.where(mask != 0, attn, float("-inf"))
    attn = F.softmax(attn, dim=-1)
    attn = F.softmax(attn, dim=-1)
    if dropout is not None:
        attn = dropout(attn)
    out = attn @ value
    return out, attn
