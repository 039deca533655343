# fault: log-softmax
# line: 14
# what: log_softmax where the weights are needed

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scale = query.shape[-1] ** -0.5
    attn = query @ key.mT * scale
    if mask is not None:
        attn = torch.where(mask != 0, attn, float("-inf"))
    attn = F.log_softmax(attn, dim=-1)
    if dropout is not None:
        attn = dropout(attn)
    out = attn @ value
    return out, attn
