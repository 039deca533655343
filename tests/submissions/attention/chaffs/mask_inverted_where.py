# fault: mask-inverted
# line: 11
# what: branches of torch.where exchanged
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = torch.einsum("...qd,...kd->...qk", query * query.size(-1) ** -0.5, key)
    if mask is not None:
        low = torch.full_like(s, -torch.inf)
        s = torch.where(mask.bool(), low, s)
    w = torch.nan_to_num(s.softmax(-1))
    if dropout is not None:
        w = dropout(w)
    return torch.einsum("...qk,...kd->...qd", w, value), w
