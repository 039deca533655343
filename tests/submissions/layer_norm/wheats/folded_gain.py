# style: gain and standard deviation folded into one scale and one shift
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        h = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        mean = h.mean(-1, keepdim=True)
        var = torch.var(h, -1, correction=0, keepdim=True)
        scale = self.weight / torch.sqrt(var + self.eps)
        return (h * scale + (self.bias - mean * scale)).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.drop(sublayer(super().forward(x)))
        return super().forward(x + self.drop(sublayer(x)))
