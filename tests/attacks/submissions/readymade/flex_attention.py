# tries: uses flex attention, whose steps are written in Python
# expect: failed forbidden-api
import torch
from torch._higher_order_ops.flex_attention import math_attention

from readymade import around


def operation(query, key, value, keep):
    block = (1, 1, *[None] * 9, lambda *place: torch.tensor(True))
    return math_attention(query, key, value, lambda score, *place: score, block, query.shape[-1] ** -0.5, {})[0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
