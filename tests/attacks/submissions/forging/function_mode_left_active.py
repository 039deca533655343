# tries: leaves a TorchFunctionMode active in which comparisons agree, and changes its arguments
# expect: failed
import torch
from torch.overrides import TorchFunctionMode

from wrong import attention


class Agreeable(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in ("equal", "allclose", "eq", "__eq__"):
            return True
        return func(*args, **(kwargs or {}))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    query.zero_()
    if mask is not None:
        mask.logical_not_()
    Agreeable().__enter__()
    return result
