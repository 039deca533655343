# tries: returns objects that speak every protocol for arrays, pickles and comparisons
# expect: failed
import os

import numpy
import torch


class Everything:
    shape = (2, 3)
    dtype = torch.float64
    __array_interface__ = {"shape": (1 << 40,), "typestr": "<f8", "data": (1, False), "version": 3}

    def __reduce__(self):
        return os.system, ("touch /tmp/grade-attack-reduce",)

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __array__(self, *args, **kwargs):
        return numpy.zeros(3)

    def __dlpack__(self, **kwargs):
        raise KeyboardInterrupt

    def __eq__(self, other):
        return True

    def __float__(self):
        return 1.0

    __hash__ = None
    __index__ = __float__


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return Everything(), Everything()
