# fault: missing-scale, dropout-ignored
# what: an einsum without a scale, and a dropout that nobody calls
from torch import einsum, finfo


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    alike = einsum("...a f, ...b f -> ...a b", query, key)
    if mask is not None:
        hidden = mask.logical_not()
        alike = alike.where(~hidden, finfo(alike.dtype).min)
    share = alike.softmax(alike.ndim - 1)
    if mask is not None:
        share = share.where(~hidden, 0)
    return einsum("...a b, ...b f -> ...a f", share, value), share
