# tries: calls the ready-made attention by a name that is put together at run time
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    name = "_".join(["scaled", "dot", "product", "".join(reversed("noitnetta"))])
    return getattr(torch.nn.functional, name)(query, key, value, attn_mask=keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
