# style: squared length of the centred row by linalg.vecdot, chained tensor methods
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        wide = torch.promote_types(x.dtype, torch.float32)
        centred = x.to(wide) - x.to(wide).mean(dim=-1, keepdim=True)
        # biased variance = squared length / d
        var = torch.linalg.vecdot(centred, centred).unsqueeze(-1) / x.size(-1)
        return centred.div(var.add(self.eps).sqrt()).to(x.dtype).mul(self.weight).add(self.bias)


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
