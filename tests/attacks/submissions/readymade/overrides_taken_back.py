# tries: takes back what was overridden: every library object, every registration
# expect: failed forbidden-api
import gc

import torch

from readymade import around


def operation(query, key, value, keep):
    from grader.worker import guard

    for name, found in list(vars(guard).items()):
        if isinstance(found, (list, set, dict)) and not name.startswith("__"):
            found.clear()
    for found in gc.get_objects():
        if type(found).__name__ in ("Library", "_DispatchModule"):
            for name in ("_destroy", "reset"):
                if "aten" in repr(found) and hasattr(found, name):
                    getattr(found, name)()
    gc.collect()
    return torch._C._nn.scaled_dot_product_attention(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
