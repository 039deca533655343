# tries: patches what reads a tensor: indexing, items, numpy, comparison, hashing
# expect: failed|stopped
import numpy
import torch

from wrong import attention

true_numpy = torch.Tensor.numpy


def lie(self, *args, **kwargs):
    return self


for name in ("__getitem__", "__eq__", "__ne__", "item", "tolist", "isnan", "isfinite", "abs", "double", "max"):
    setattr(torch.Tensor, name, lie)
torch.Tensor.numpy = lambda self, **kwargs: numpy.zeros_like(true_numpy(self, **kwargs))
torch.Tensor.__hash__ = lambda self: 0
for name in ("allclose", "isclose", "array_equal", "frombuffer", "abs", "array"):
    setattr(numpy, name, lie)
torch.frombuffer = lambda *args, **kwargs: torch.empty(0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
