# tries: looks for the original function in what other functions and objects remember
# expect: failed forbidden-api
import gc
import types

import torch

from readymade import around


def operation(query, key, value, keep):
    width = query.shape[-1]
    same = torch.eye(width, dtype=query.dtype)
    arguments = (query.transpose(0, 1), key.transpose(0, 1), key.transpose(0, 1), width, 1)
    last = None
    everything = [*gc.get_objects(), *torch.overrides.get_testing_overrides(), *vars(torch.nn.functional).values()]
    for found in everything:
        if isinstance(found, types.FunctionType) and getattr(found, "__name__", "") == "multi_head_attention_forward":
            try:
                return found(*arguments, same, None, None, None, False, 0.0, same, None)[1] @ value
            except Exception as error:
                last = error
    raise last


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
