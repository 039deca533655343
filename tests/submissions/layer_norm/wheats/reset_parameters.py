# style: reset_parameters, unflatten of rows, f-strings in assertions
import torch
from torch import nn
from torch.nn import init


class LayerNorm(nn.Module):
    __constants__ = ["eps"]

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model))
        self.bias = nn.Parameter(torch.empty(d_model))
        self.eps = eps
        self.reset_parameters()

    def reset_parameters(self):
        init.ones_(self.weight)
        init.zeros_(self.bias)

    def forward(self, x):
        assert x.shape[-1] == self.weight.numel(), f"{x.shape[-1]} features"
        if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
            return self._normalise(x.to(torch.float32)).to(x.dtype)
        return self._normalise(x)

    def _normalise(self, x):
        flat = x.flatten(0, -2) if x.dim() > 1 else x[None]
        mean = torch.stack([row.mean() for row in flat])[:, None]
        var = torch.stack([row.var(correction=0) for row in flat])[:, None]
        flat = (flat - mean) / (var + self.eps).sqrt()
        return (flat * self.weight + self.bias).reshape(x.shape)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
