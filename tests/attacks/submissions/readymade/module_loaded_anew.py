# tries: loads torch.nn.functional once more, as it was
# expect: failed forbidden-api
import importlib

import torch

from readymade import around


def operation(query, key, value, keep):
    functional = importlib.reload(torch.nn.functional)
    return functional.scaled_dot_product_attention(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
