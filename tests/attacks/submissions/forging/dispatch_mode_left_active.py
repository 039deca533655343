# tries: leaves a TorchDispatchMode active that undoes what copies of memory would show
# expect: failed
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from wrong import attention


class Forgetful(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "equal" in str(func):
            return True
        return func(*args, **(kwargs or {}))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    result = attention(query, key, value, mask, dropout)
    key.fill_(7)
    Forgetful().__enter__()
    return result
