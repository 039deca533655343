# tries: fetches the operator from where TorchScript keeps it
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    name = "aten::scaled_dot_" + "product_attention"
    found, overloads = torch._C._jit_get_operation(name)
    try:
        return found(query, key, value)
    except TypeError:
        pass
    run = torch._C._get_operation_overload(name, "")[0]
    return run(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
