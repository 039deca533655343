# style: AddNorm holds a LayerNorm outside the registry and shares its parameters
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x, weight=None, bias=None):
        weight = self.weight if weight is None else weight
        bias = self.bias if bias is None else bias
        y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        m = y.mean(-1, True)
        s = torch.sqrt(torch.mean((y - m).square(), -1, True) + self.eps)
        return torch.add((y - m) / s * weight, bias).to(x.dtype)


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__()
        inner = LayerNorm(d_model, eps)
        self.weight, self.bias = inner.weight, inner.bias
        self._norm = [inner]
        self.rate = dropout
        self.pre = norm_first

    def norm(self, x):
        return self._norm[0](x, self.weight, self.bias)

    def forward(self, x, sublayer):
        residual, branch = x, x
        if self.pre:
            branch = self.norm(branch)
        branch = sublayer(branch)
        if self.training and self.rate > 0:
            branch = nn.Dropout(self.rate)(branch)
        total = residual + branch
        return total if self.pre else self.norm(total)
