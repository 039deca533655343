# style: an autograd.Function with the gradient written by hand
import torch
from torch import nn


class _Standardise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        mean = x.mean(-1, keepdim=True)
        inverse = ((x - mean).pow(2).mean(-1, keepdim=True) + eps).rsqrt()
        out = (x - mean) * inverse
        ctx.save_for_backward(out, inverse)
        return out

    @staticmethod
    def backward(ctx, g):
        out, inverse = ctx.saved_tensors
        return inverse * (g - g.mean(-1, keepdim=True) - out * (g * out).mean(-1, keepdim=True)), None


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
        return (_Standardise.apply(wide, self.eps) * self.weight + self.bias).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
