# exercise: layer_norm
# tries: nothing: what a wrong file gets that does not cheat
# expect: failed
from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    """Divides by the root of the variance that is divided by one less than it should be."""
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
