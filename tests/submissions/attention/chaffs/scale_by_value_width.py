# fault: scale-by-d-model
# edge: fully-masked-row-nan
# line: 11
# what: divided by sqrt(d_v), the width of the values
import torch
from einops import einsum


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    dim = value.shape[-1]
    dots = einsum(query, key, "... i d, ... j d -> ... i j") * dim**-0.5
    if mask is not None:
        dots = dots.masked_fill(~mask.bool(), float("-inf"))
    attn = dots.softmax(dim=-1)
    if dropout is not None:
        attn = dropout(attn)
    out = einsum(attn, value, "... i j, ... j d -> ... i d")
    return out, attn
