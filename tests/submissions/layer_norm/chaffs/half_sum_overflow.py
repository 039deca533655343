# fault: sum-overflow-half
# tier: edge
# line: 20
# what: the mean of a row by way of its sum in half precision, which passes 65504
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    """Layer normalisation over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super(LayerNorm, self).__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        mu = x.sum(-1, keepdim=True) / x.size(-1)
        centred = x - mu
        sigma2 = x.var(-1, correction=0, keepdim=True)
        inv = (sigma2 + self.eps).rsqrt()
        y = centred * inv
        y = y.to(dtype)
        return self.weight * y + self.bias


class AddNorm(LayerNorm):
    """Residual connection round any sublayer, with the norm before or after."""

    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super(AddNorm, self).__init__(d_model, eps=eps)
        self.drop = nn.Dropout(p=dropout)
        self.pre = norm_first

    def norm(self, t):
        return LayerNorm.forward(self, t)

    def forward(self, x, sublayer):
        h = self.norm(x) if self.pre else x
        y = self.drop(sublayer(h))
        out = x + y
        if not self.pre:
            out = self.norm(out)
        return out
