# tries: compiles the call with torch.compile
# expect: failed forbidden-api
import torch

from readymade import around


@torch.compile(backend="eager")
def operation(query, key, value, keep):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
