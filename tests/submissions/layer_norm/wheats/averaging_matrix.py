# style: mean as a product with the centring matrix, in float32 for half precision
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        d = x.size(-1)
        work = x.float() if x.dtype in (torch.half, torch.bfloat16) else x
        J = torch.full((d, d), 1.0 / d, dtype=work.dtype, device=work.device)
        c = work - work @ J
        c = c - c @ J  # once more: the first mean is rounded
        s = torch.sqrt((c * c) @ J + self.eps)
        return (c / s).to(x.dtype) * self.weight + self.bias


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
