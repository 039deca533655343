# tries: uses the module from where it lives, not from torch.nn
# expect: failed forbidden-api
import torch
from torch.nn.modules.activation import MultiheadAttention

from readymade import around


def operation(query, key, value, keep):
    layer = MultiheadAttention(query.shape[-1], 1, bias=False, dtype=query.dtype)
    return layer(query, key, key)[1] @ value


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
