# fault: position-left-out
# line: 19
# what: the sum over the keys begins at one

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
    out = torch.zeros(*attn.shape[:-1], value.shape[-1], dtype=value.dtype, device=value.device)
    attn = torch.cat([torch.zeros_like(attn[..., :1]), attn[..., 1:]], dim=-1)
    for j in range(1, attn.shape[-1]):
        out = out + attn[..., j : j + 1] * value[..., j : j + 1, :]
    return out, attn
