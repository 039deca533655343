# fault: fully-masked-row-uniform
# tier: edge
# line: 12
# what: -1e4 fits in float16, but an empty row attends everywhere alike
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    s = torch.einsum("...ld,...sd->...ls", query / query.size(-1) ** 0.5, key)
    if mask is not None:
        s = torch.where(mask.bool(), s, -1e4)
    w = s.softmax(-1)
    if dropout is not None:
        w = dropout(w)
    return torch.einsum("...ls,...sd->...ld", w, value), w
