# style: two passes, the mean corrected by the mean of what is left
import torch
from torch import nn


class LayerNorm(nn.Module):
    """Subtracts the mean twice: the second time removes what rounding left."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def extra_repr(self):
        return f"eps={self.eps}"

    def forward(self, x):
        out = x.to(dtype=torch.float32) if x.dtype.itemsize < 4 else x.clone()
        for _ in range(2):
            out = out - out.mean(dim=-1, keepdim=True)
        out = out / (out.norm(dim=-1, keepdim=True).square() / out.size(-1) + self.eps).sqrt()
        out = out.mul(self.weight).add(self.bias)
        return out.to(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model=d_model, eps=eps)
        self.residual_dropout = nn.Dropout(p=dropout, inplace=False)
        self.norm_first = norm_first

    def __call__(self, x, sublayer):
        return super().__call__(x, sublayer)

    def forward(self, x, sublayer):
        match self.norm_first:
            case True:
                return self.residual_dropout(sublayer(super().forward(x))) + x
            case _:
                return super().forward(self.residual_dropout(sublayer(x)) + x)
