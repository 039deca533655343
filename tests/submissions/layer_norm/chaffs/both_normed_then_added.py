# fault: sum-not-normalised
# line: 38
# what: x and the sublayer's output are normalised one by one

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        h = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = h - h.mean(-1, keepdim=True)
        spread = centred.square().mean(-1, keepdim=True)
        y = centred * torch.rsqrt(spread + self.eps)
        return (self.weight * y + self.bias).to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps=eps)
        self.p = dropout
        self.pre = norm_first

    def norm(self, x):
        return LayerNorm.forward(self, x)

    def forward(self, x, sublayer):
        if self.pre:
            return x + F.dropout(sublayer(self.norm(x)), self.p, self.training)
        y = F.dropout(sublayer(x), self.p, self.training)
        return self.norm(x) + self.norm(y)
