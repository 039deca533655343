# fault: missing-scale, softmax-wrong-axis
# line: 11
# what: no scaling, and softmax over the queries
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    a = query @ key.mT
    if mask is not None:
        a = a.masked_fill(mask == 0, torch.finfo(a.dtype).min)
    a = a.softmax(-2)
    if mask is not None:
        a = a.masked_fill(mask == 0, 0)
    if dropout is not None:
        a = dropout(a)
    return a @ value, a
