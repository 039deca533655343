# exercise: layer_norm
# tries: runs layer normalisation in the static runtime
# expect: failed
import torch

from readymade import AddNorm as Added
from readymade import Norm


@torch.jit.script
def compiled(x, width: int, eps: float):
    return torch.layer_norm(x, [width], eps=eps)


def operation(x, eps):
    return torch._C._jit_to_static_module(compiled.graph)(x, x.shape[-1], eps)


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
