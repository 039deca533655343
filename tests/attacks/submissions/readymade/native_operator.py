# tries: calls the fused operator of a whole layer, also on nested tensors
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    width = query.shape[-1]
    same = torch.eye(width, dtype=query.dtype)
    zero = torch.zeros(3 * width, dtype=query.dtype)
    nested = [torch.nested.nested_tensor(list(t)) for t in (query, key, key)] if query.dim() == 3 else [query, key, key]
    return torch._native_multi_head_attention(
        *nested, width, 1, torch.cat([same] * 3), zero, same, zero[:width], None, True, True
    )[1] @ value


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
