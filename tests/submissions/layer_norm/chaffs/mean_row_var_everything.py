# fault: normalises-everything
# line: 23
# what: the variance is taken over the whole tensor, the mean per row
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    """Layer normalisation over the features."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super(LayerNorm, self).__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dtype = x.dtype
        if dtype in (torch.float16, torch.bfloat16):
            x = x.float()
        mu = x.mean(-1, keepdim=True)
        centred = x - mu
        sigma2 = (centred ** 2).mean()
        inv = (sigma2 + self.eps).rsqrt()
        y = centred * inv
        y = y.to(dtype)
        return self.weight * y + self.bias


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
