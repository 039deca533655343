# style: all leading dimensions flattened into one, bmm, and unflattened again
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    *lead, L, d_k = query.shape
    S, d_v = value.shape[-2:]
    q = query.reshape(-1, L, d_k)
    k = key.reshape(-1, S, d_k)
    v = value.reshape(-1, S, d_v)
    scores = torch.bmm(q, k.permute(0, 2, 1)).div(math.sqrt(d_k))
    if mask is not None:
        m = mask.ne(0).expand(*lead, L, S).reshape(-1, L, S)
        bias = torch.zeros_like(scores).masked_fill_(~m, torch.finfo(scores.dtype).min / 2)
        p = (scores + bias).softmax(dim=2) * m
    else:
        p = scores.softmax(dim=2)
    p = p.reshape(*lead, L, S)
    if dropout is not None:
        p = dropout(p)
    out = torch.bmm(p.reshape(-1, L, S), v).reshape(*lead, L, d_v)
    return out, p
