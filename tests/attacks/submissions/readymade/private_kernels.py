# tries: the parts that the ready-made layers are made of, by their private names
# expect: failed
import torch

from readymade import around


def operation(query, key, value, keep):
    for name in sorted(dir(torch)) + sorted(dir(torch._C._nn)) + sorted(dir(torch._C._VariableFunctions)):
        if "attention" in name or "transformer" in name:
            for holder in (torch, torch._C._nn, torch._C._VariableFunctions, torch.ops.aten):
                found = getattr(holder, name, None)
                for arguments in ((query, key, value), (query, key, value, None, 0.0, False)):
                    try:
                        result = found(*arguments)
                    except Exception:
                        continue
                    result = result[0] if isinstance(result, tuple) else result
                    if isinstance(result, torch.Tensor) and result.shape[:-1] == query.shape[:-1]:
                        return result
    raise LookupError


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
