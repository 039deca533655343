# style: -inf everywhere, then nan_to_num on the weights of empty rows
import math

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    """softmax(QK^T / sqrt(d_k)) V."""
    scale = 1.0 / math.sqrt(query.size(-1))
    attn = torch.matmul(query * scale, key.transpose(-1, -2))
    if mask is not None:
        attn = attn.masked_fill(mask == 0, float("-inf"))
    # a row of -inf only becomes nan: nothing to attend to, so 0
    attn = torch.nan_to_num(F.softmax(attn, dim=-1), nan=0.0)
    if dropout is not None:
        attn = dropout(attn)
    return torch.matmul(attn, value), attn
