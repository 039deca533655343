# tries: calls the operators that the ready-made attention is made of
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    return torch.ops.aten._scaled_dot_product_attention_math.default(query, key, value, keep)[0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
