# fault: scale-multiplied
# line: 12
# what: divides by an already inverted factor
import torch


class Attention:
    def __init__(self, d_k):
        self.scale = d_k ** -0.5

    def __call__(self, q, k, v, mask, dropout):
        s = q @ k.mT / self.scale
        if mask is not None:
            s = s.masked_fill(mask.logical_not(), float("-inf"))
        w = s.softmax(-1)
        if mask is not None:
            w = w.masked_fill(mask.logical_not(), 0)
        if dropout is not None:
            w = dropout(w)
        return w @ v, w


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return Attention(query.size(-1))(query, key, value, mask, dropout)
