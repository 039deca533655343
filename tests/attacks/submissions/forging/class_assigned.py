# tries: gives what it returns another class, whose metaclass answers for it
# expect: failed
import torch

from wrong import attention


class Meta(type(torch.Tensor)):
    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __call__(cls, *args, **kwargs):
        return torch.zeros(1)

    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(torch.Tensor)

    __name__ = property(lambda cls: "Tensor")


class Masked(torch.Tensor, metaclass=Meta):
    shape = property(lambda self: (2, 3, 4, 5))
    dtype = property(lambda self: torch.float64)
    __class__ = torch.Tensor

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return args[0]


class Pair(tuple):
    __class__ = list
    __len__ = lambda self: 2
    __iter__ = lambda self: iter((torch.zeros(1), torch.zeros(1)))


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    output, weights = attention(query, key, value, mask, dropout)
    return Pair((output.as_subclass(Masked), weights.as_subclass(Masked)))
