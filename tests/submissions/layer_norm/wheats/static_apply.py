# style: a static method for the arithmetic, parameters taken from a norm that is not kept
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    @staticmethod
    def apply(x, w, b, eps):
        t = x.to(torch.promote_types(x.dtype, torch.float32))
        v, m = torch.var_mean(t, -1, correction=0, keepdim=True)
        return ((t - m) * (v + eps) ** -0.5 * w + b).to(x.dtype)

    def forward(self, x):
        return LayerNorm.apply(x, self.weight, self.bias, self.eps)


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__()
        norm = LayerNorm(d_model, eps)
        self.weight, self.bias = norm.weight, norm.bias
        self.eps = norm.eps
        self.norm_first, self.dropout = norm_first, nn.Dropout(dropout)

    def forward(self, x, sublayer):
        n = lambda t: LayerNorm.apply(t, self.weight, self.bias, self.eps)
        return x + self.dropout(sublayer(n(x))) if self.norm_first else n(x + self.dropout(sublayer(x)))
