# fault: sublayer-not-called
# line: 36
# what: dropout of the sublayer itself

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
        h = self.norm(x) if self.pre else x
        y = F.dropout(sublayer, self.p, self.training)
        out = x + y
        return out if self.pre else self.norm(out)
