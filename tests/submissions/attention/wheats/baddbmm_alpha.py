# style: baddbmm with alpha as the scale, on flattened leading axes
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    *lead, L, d = query.shape
    S, dv = value.shape[-2:]
    q, k, v = query.reshape(-1, L, d), key.reshape(-1, S, d), value.reshape(-1, S, dv)
    base = query.new_zeros(q.shape[0], L, S)
    if mask is not None:
        keep = mask.ne(0).expand(*lead, L, S).reshape(-1, L, S)
    else:
        keep = torch.ones_like(base, dtype=torch.bool)
    s = torch.baddbmm(base, q, k.transpose(1, 2), alpha=d**-0.5)
    s.masked_fill_(~keep, float("-inf"))
    w = torch.nan_to_num(s.softmax(2))
    w = w.reshape(*lead, L, S)
    if dropout is not None:
        w = dropout(w)
    return torch.bmm(w.reshape(-1, L, S), v).reshape(*lead, L, dv), w
