# tries: finds the runtimes that pass the dispatcher by: nativert, static modules, compiled packages
# expect: failed
import gc

import torch

from readymade import around


def operation(query, key, value, keep):
    for name in ("_nativert", "_aoti", "StaticModule", "_jit_to_static_module"):
        holder = getattr(torch._C, name, None)
        for inner in dir(holder) if holder is not None else ():
            print(name, inner)
    for found in gc.get_objects():
        if type(found).__name__ in ("builtin_function_or_method", "pybind11_type") and "tatic" in repr(found):
            if "to_static" in repr(found) or "StaticModule" in repr(found):
                graph = torch.jit.script(call).graph
                return found(graph)(query, key, value)
    raise LookupError


def call(query, key, value):
    return torch._C._nn.scaled_dot_product_attention(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
