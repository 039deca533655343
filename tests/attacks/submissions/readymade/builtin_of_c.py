# tries: finds the builtin function of C that Python's names lead to
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    return torch._C._nn.scaled_dot_product_attention(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
