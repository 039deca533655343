# tries: gives the refusing functions other code, through ctypes, gc and their own attributes
# expect: failed|stopped
import ctypes
import gc
import types

import torch

from grader.worker import guard
from readymade import around


def allow(*args, **kwargs):
    return torch.ops.aten._scaled_dot_product_attention_math.default(*args[:3])[0]


def operation(query, key, value, keep):
    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__name__ in ("refuse", "_template", "_code"):
            try:
                found.__code__ = allow.__code__
            except ValueError:
                ctypes.pythonapi.PyFunction_SetDefaults(ctypes.py_object(found), ctypes.py_object((1,)))
    guard.ForbiddenOperation.__init__ = lambda self, message="": None
    guard._refused = guard._blocked = set()
    torch.nn.functional.scaled_dot_product_attention = allow
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(query, key, value)[0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
