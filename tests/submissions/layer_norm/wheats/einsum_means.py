# style: means by einsum, keepdim by indexing with None
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        dtype = x.dtype
        if dtype in (torch.float16, torch.bfloat16):
            x = x.float()
        d = x.shape[-1]
        c = x - torch.einsum("...d->...", x)[..., None] / d
        v = torch.einsum("...d,...d->...", c, c) / d
        y = torch.einsum("...d,...->...d", c, torch.rsqrt(v + self.eps)).to(dtype)
        return torch.einsum("...d,d->...d", y, self.weight) + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
