# tries: traces the call, and runs what was traced
# expect: failed forbidden-api
import torch

from readymade import around


def call(query, key, value):
    return torch._C._nn.scaled_dot_product_attention(query, key, value)


def operation(query, key, value, keep):
    return torch.jit.trace(call, (query, key, value))(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
