# style: everything in float64, then back to the input's dtype
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones((d_model,)))
        self.bias = nn.Parameter(torch.zeros((d_model,)))

    def forward(self, x):
        d = x.double()
        std, mean = torch.std_mean(d, dim=-1, unbiased=False, keepdim=True)
        z = (d - mean) / torch.hypot(std, d.new_tensor(self.eps**0.5))
        return (z * self.weight.double() + self.bias.double()).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
