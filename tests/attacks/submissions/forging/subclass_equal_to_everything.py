# tries: returns a tensor that is equal to everything, by __torch_function__
# expect: failed
import torch

from wrong import attention


class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("eq", "__eq__", "equal", "allclose", "isclose", "__le__", "le", "all", "__bool__"):
            return True
        if name in ("sub", "__sub__", "__rsub__", "abs", "max"):
            return torch.zeros(())
        return super().__torch_function__(func, types, args, kwargs or {})

    def __eq__(self, other):
        return True

    __hash__ = None


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    output, weights = attention(query, key, value, mask, dropout)
    return output.as_subclass(Agreeable), weights.as_subclass(Agreeable)
