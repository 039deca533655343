# style: unsqueeze instead of keepdim, torch.pow, module-level helper
import torch
import torch.nn as nn


def _moments(x):
    """Mean and biased variance of the last axis, never in less than float32."""
    x = x.double() if x.dtype == torch.float64 else x.float()
    m = x.mean(-1).unsqueeze(-1)
    return m, torch.pow(x - m, 2).mean(-1).unsqueeze(-1)


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        m, v = _moments(x)
        return self.bias + self.weight * ((x - m) * torch.pow(v + self.eps, -0.5)).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
