# exercise: layer_norm
# tries: normalises nested and other tensors, whose operators are others
# expect: failed forbidden-api
import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    rows = x.reshape(-1, x.shape[-1])
    ways = (
        lambda: torch.nested.nested_tensor([rows]),
        lambda: torch.nested.nested_tensor([rows], layout=torch.jagged),
        lambda: rows.to_mkldnn(),
        lambda: rows.to_sparse(),
    )
    for way in ways:
        try:
            found = torch.ops.aten.native_layer_norm(way(), (rows.shape[-1],), None, None, eps)[0]
            return found.to_padded_tensor(0.0).reshape(x.shape)
        except Exception as error:
            last = error
    raise last


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
