# style: a pure function, and modules around it; AddNorm has its own parameters
from functools import partial

import torch
from torch import Tensor, nn


def normalise(x: Tensor, weight: Tensor, bias: Tensor, *, eps: float) -> Tensor:
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    h = h - h.mean(-1, keepdim=True)
    h = h * torch.rsqrt(h.square().mean(-1, keepdim=True) + eps)
    return (h * weight + bias).to(x.dtype)


def _parameters(module: nn.Module, d_model: int) -> None:
    module.weight = nn.Parameter(torch.ones(d_model))
    module.bias = nn.Parameter(torch.zeros(d_model))


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        _parameters(self, d_model)
        self.normalise = partial(normalise, eps=eps)

    def forward(self, x):
        return self.normalise(x, self.weight, self.bias)


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__()
        _parameters(self, d_model)
        self.before = norm_first
        self.p = dropout
        self.eps = eps

    def forward(self, x, sublayer):
        norm = partial(normalise, weight=self.weight, bias=self.bias, eps=self.eps)
        drop = partial(nn.functional.dropout, p=self.p, training=self.training)
        identity = lambda t: t  # noqa: E731
        first, last = (norm, identity) if self.before else (identity, norm)
        return last(torch.add(x, drop(sublayer(first(x)))))
