# style: AddNorm keeps a LayerNorm that it does not register, and shares its parameters
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


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__()
        inner = LayerNorm(d_model, eps)
        self.weight, self.bias = inner.weight, inner.bias
        self._norm = [inner]
        self.dropout = nn.Dropout(p=dropout)
        self.norm_first = norm_first

    def norm(self, x):
        inner = self._norm[0]
        inner.weight, inner.bias = self.weight, self.bias
        return inner(x)

    def forward(self, x, sublayer):
        y = sublayer(self.norm(x) if self.norm_first else x)
        z = x + self.dropout(y)
        return z if self.norm_first else self.norm(z)
