# exercise: layer_norm
# tries: calls the ready-made normalisation under vmap, jvp, linearize and functionalize
# expect: failed
import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    def call(rows):
        return torch.ops.aten.native_layer_norm(rows, (rows.shape[-1],), None, None, eps)[0]

    def dual(rows):
        with torch.autograd.forward_ad.dual_level():
            return call(torch.autograd.forward_ad.make_dual(rows, rows))

    rows = x.reshape(-1, x.shape[-1])
    ways = (
        lambda: torch.func.vmap(call)(rows),
        lambda: torch.func.jvp(call, (rows,), (rows,))[0],
        lambda: torch.func.linearize(call, rows)[0],
        lambda: torch.func.functionalize(call)(rows),
        lambda: dual(rows),
        lambda: torch.func.grad_and_value(lambda r: (call(r).sum(), call(r)), has_aux=True)(rows)[1][1],
    )
    for way in ways:
        try:
            return way().reshape(x.shape)
        except Exception as error:
            last = error
    raise last


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
