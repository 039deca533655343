# style: features moved to the front, in float64
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        h = x.double().movedim(-1, 0)
        h = h - h.sum(0) / h.shape[0]
        h = h / ((h * h).sum(0) / h.shape[0] + self.eps).sqrt()
        return h.movedim(0, -1).to(x.dtype) * self.weight + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.drop(sublayer(super().forward(x)))
        return super().forward(x + self.drop(sublayer(x)))
