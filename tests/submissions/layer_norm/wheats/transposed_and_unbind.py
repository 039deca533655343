# style: features moved to the front, so that no keepdim is needed
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        f = x.movedim(-1, 0)
        if f.dtype != torch.float64:
            f = f.to(torch.float32)
        f = f - f.mean(0)
        f = f / (f.pow(2).mean(0) + self.eps).sqrt()
        return f.movedim(0, -1).to(x.dtype) * self.weight + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
