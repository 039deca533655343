# fault: softmax-unstable, fully-masked-row-nan
# tier: edge
# line: 9
# what: exp without the maximum, and 0/0 in an empty row
import torch


def softmax(x):
    e = x.exp()
    return e / e.sum(-1, keepdim=True)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    x = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        x = x.masked_fill(mask.logical_not(), float("-inf"))
    w = softmax(x)
    if dropout is not None:
        w = dropout(w)
    return w @ value, w
