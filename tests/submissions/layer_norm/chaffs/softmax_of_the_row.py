# fault: -
# line: 19
# what: a softmax where the row should be standardised
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        h = x.float() if x.dtype in (torch.half, torch.bfloat16) else x
        m = h.mean(-1, keepdim=True)
        v = (h - m).pow(2).mean(-1, keepdim=True)
        y = torch.softmax(h, -1)
        return y.to(x.dtype) * self.weight + self.bias


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.drop(sublayer(super().forward(x)))
        return super().forward(x + self.drop(sublayer(x)))
