# exercise: layer_norm
# tries: subclasses the ready-made layer, and passes its __init__ by
# expect: failed forbidden-api
import torch

from readymade import AddNorm as Added
from readymade import Norm


class Hidden(torch.nn.LayerNorm):
    def __init__(self, x, eps):
        torch.nn.Module.__init__(self)
        self.normalized_shape, self.eps = (x.shape[-1],), eps
        self.weight = self.bias = None


def operation(x, eps):
    return torch.nn.LayerNorm.forward(Hidden(x, eps), x)


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
