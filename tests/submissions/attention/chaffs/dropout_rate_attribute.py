# fault: dropout-called-wrongly
# line: 17
# what: asks the callable for its rate

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
        attn = F.dropout(attn, p=dropout.p)
    out = attn @ value
    return out, attn
