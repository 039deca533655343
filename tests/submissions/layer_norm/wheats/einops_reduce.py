# style: einops.reduce for the means
import torch
from einops import reduce
from torch import nn

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        kept, work = x.dtype, torch.promote_types(x.dtype, torch.float32)
        x = x.to(work)
        mean = reduce(x, "... d -> ... 1", "mean")
        var = reduce((x - mean).square(), "... d -> ... 1", "mean")
        return ((x - mean) / (var + self.eps).sqrt()).to(kept) * self.weight + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
