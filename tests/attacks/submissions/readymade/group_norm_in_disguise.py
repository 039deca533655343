# exercise: layer_norm
# tries: normalises with the operators of group, batch, instance and RMS norm
# expect: failed forbidden-api
import torch

from readymade import AddNorm as Added
from readymade import Norm


def operation(x, eps):
    rows = x.reshape(1, -1, x.shape[-1])
    count = rows.shape[1]
    ways = (
        lambda: torch.group_norm(rows, count, eps=eps),
        lambda: torch.instance_norm(rows, None, None, None, None, True, 0.0, eps, False),
        lambda: torch.batch_norm(rows, None, None, None, None, True, 0.0, eps, False),
        lambda: torch.native_batch_norm(rows, None, None, None, None, True, 0.0, eps)[0],
        lambda: torch._native_batch_norm_legit(rows, None, None, True, 0.0, eps)[0],
        lambda: torch.ops.aten.native_batch_norm.out(
            rows, None, None, None, None, True, 0.0, eps,
            out=torch.empty_like(rows), save_mean=x.new_empty(0), save_invstd=x.new_empty(0),
        )[0],
        lambda: torch.ops.aten._batch_norm_impl_index(rows, None, None, None, None, True, 0.0, eps, False)[0],
        lambda: torch.rms_norm(rows - rows.mean(-1, keepdim=True), (rows.shape[-1],), None, eps),
        lambda: torch.ops.aten._fused_rms_norm(rows - rows.mean(-1, keepdim=True), (rows.shape[-1],), None, eps)[0],
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
