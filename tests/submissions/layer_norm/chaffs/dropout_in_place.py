# fault: input-modified
# line: 27
# what: dropout works in place on what the sublayer returned
import math
import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        mean = h.mean(-1, keepdim=True)
        var = (h - mean).pow(2).mean(-1, keepdim=True)
        return ((h - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout, inplace=True)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
