# tries: runs TorchScript in the static runtime, which passes the dispatcher by
# expect: failed
import torch

from readymade import around


def operation(query, key, value, keep):
    graph = torch.jit.script(call).graph
    return torch._C._jit_to_static_module(graph)(query, key, value)


def call(query, key, value):
    return torch._C._nn.scaled_dot_product_attention(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
