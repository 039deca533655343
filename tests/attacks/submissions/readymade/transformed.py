# tries: calls it under vmap, jvp and make_fx
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    def call(query, key, value):
        return torch.ops.aten.scaled_dot_product_attention(query, key, value)

    try:
        return torch.func.vmap(call)(query, key, value)
    except Exception:
        return torch.fx.experimental.proxy_tensor.make_fx(call)(query, key, value)(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
