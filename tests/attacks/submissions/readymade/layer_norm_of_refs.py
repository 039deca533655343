# exercise: layer_norm
# tries: uses the reference implementations that torch has in Python
# expect: failed forbidden-api
import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    ways = (
        lambda: torch._refs.native_layer_norm(x, (x.shape[-1],), None, None, eps)[0],
        lambda: torch._refs.nn.functional.layer_norm(x, (x.shape[-1],), eps=eps),
        lambda: torch._refs._normalize(x, (x.dim() - 1,), eps)[0],
        lambda: torch._refs.native_group_norm(x[None, None], None, None, 1, 1, x.numel(), 1, eps)[0][0, 0],
    )
    for way in ways:
        try:
            return way()
        except Exception as error:
            last = error
    raise last


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
