# style: minimal: the query alone is scaled, key.mT, short names
import torch
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query * query.size(-1) ** -0.5
    a = q @ key.mT
    if mask is not None:
        n = mask.logical_not()
        a = a.masked_fill(n, -1e4 if a.dtype == torch.float16 else -1e30).softmax(-1).masked_fill(n, 0)
    else:
        a = a.softmax(-1)
    if dropout: a = dropout(a)
    return a @ value, a
