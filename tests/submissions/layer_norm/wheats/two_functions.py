# style: pre and post as two functions, chosen in the constructor
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        h = x.float() if x.dtype in (torch.half, torch.bfloat16) else x
        m = h.mean(-1, keepdim=True)
        v = (h - m).pow(2).mean(-1, keepdim=True)
        y = (h - m) * (v + self.eps) ** -0.5
        return y.to(x.dtype) * self.weight + self.bias


def _pre(norm, drop, x, f):
    return x + drop(f(norm(x)))


def _post(norm, drop, x, f):
    return norm(x + drop(f(x)))


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.how = _pre if norm_first else _post

    def forward(self, x, sublayer):
        return self.how(lambda t: LayerNorm.forward(self, t), self.drop, x, sublayer)
