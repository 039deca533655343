# style: row by row into memory that is asked for first
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        out = torch.empty_like(flat)
        for i in range(flat.size(0)):
            r = flat[i].to(torch.promote_types(flat.dtype, torch.float32))
            r = r - r.mean()
            out[i] = (r / torch.sqrt((r @ r) / r.numel() + self.eps) * self.weight + self.bias).to(flat.dtype)
        return out.view(x.shape)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        norm = super().forward
        return (lambda t: t if self.norm_first else norm(t))(x + self.dropout(sublayer(norm(x) if self.norm_first else x)))
