# style: the root mean square as the vector norm over sqrt(d)
import math

import torch
from torch import nn


def widened(function):
    """Half precision goes through float32."""

    def wrapper(self, x, *rest):
        if x.dtype in (torch.bfloat16, torch.half):
            return function(self, x.float(), *rest).to(x.dtype)
        return function(self, x, *rest)

    return wrapper


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.d_model, self.eps = d_model, eps

    @widened
    def forward(self, x):
        assert x.shape[-1] == self.d_model
        centred = x - x.sum(-1, keepdim=True) / self.d_model
        padded = torch.cat([centred, torch.full_like(centred[..., :1], math.sqrt(self.eps * self.d_model))], -1)
        length = torch.linalg.vector_norm(padded, dim=-1, keepdim=True)
        return centred * math.sqrt(self.d_model) / length * self.weight + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
