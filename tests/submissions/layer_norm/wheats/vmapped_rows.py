# style: one vector written out, vmapped over all others
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def _vector(self, v):
        c = v - v.mean()
        return c / torch.sqrt(torch.dot(c, c) / len(v) + self.eps)

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        if rows.dtype.itemsize == 2:
            rows = rows.float()
        out = torch.vmap(self._vector)(rows) * self.weight + self.bias
        return out.to(x.dtype).reshape(x.shape)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
