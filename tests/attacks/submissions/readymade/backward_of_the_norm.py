# exercise: layer_norm
# tries: fetches a normalisation out of batch, group, instance and weight normalisation and their parts
# expect: failed
# honest: layer_norm
import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    rows = x.reshape(1, -1, x.shape[-1])
    ways = (
        lambda: torch.batch_norm(rows, None, None, None, None, True, 0.0, eps, False),
        lambda: torch._batch_norm_impl_index(rows, None, None, None, None, True, 0.0, eps, False)[0],
        lambda: torch.instance_norm(rows, None, None, None, None, True, 0.0, eps, False),
        lambda: torch.group_norm(rows.reshape(-1, x.shape[-1], 1), 1, None, None, eps, False),
        lambda: torch.native_group_norm(rows, None, None, 1, rows.shape[1], x.shape[-1], rows.shape[1], eps)[0],
        lambda: torch.native_batch_norm(rows, None, None, None, None, True, 0.0, eps)[0],
        lambda: torch._native_batch_norm_legit(rows, None, None, True, 0.0, eps)[0],
        lambda: torch.native_layer_norm(x, x.shape[-1:], None, None, eps)[0],
        lambda: torch._fused_rms_norm(x - x.mean(-1, keepdim=True), x.shape[-1:], None, eps)[0],
        lambda: torch.rms_norm(x - x.mean(-1, keepdim=True), x.shape[-1:], None, eps),
        lambda: torch.ops.aten.batch_norm_elemt(rows, None, None, rows.mean(-1)[0], rows.std(-1)[0], eps),
        lambda: torch.func.functional_call(torch.nn.BatchNorm1d(rows.shape[1]), {}, (rows,)),
    )
    for way in ways:
        try:
            return way().reshape(x.shape)
        except Exception as error:
            print(type(error).__name__, str(error)[:60])
    raise LookupError


Norm.operation = staticmethod(operation)


class LayerNorm(Norm):
    pass


class AddNorm(Added):
    pass
