# tries: exports the call, and takes the exported program apart
# expect: failed
import torch

from readymade import around


class Call(torch.nn.Module):
    def forward(self, query, key, value):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value)


def operation(query, key, value, keep):
    program = torch.export.export(Call(), (query, key, value))
    return program.run_decompositions().module()(query, key, value)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
