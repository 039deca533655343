# style: Welford's running mean and variance over the features, match for the order
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d_model,), 1.0))
        self.bias = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x):
        h = x.to(torch.promote_types(torch.float32, x.dtype))
        mean = torch.zeros_like(h[..., 0])
        m2 = torch.zeros_like(mean)
        for n, col in enumerate(h.unbind(-1), 1):
            delta = col - mean
            mean = mean + delta / n
            m2 = m2 + delta * (col - mean)
        var = m2 / h.size(-1)
        y = (h - mean.unsqueeze(-1)) / (var + self.eps).sqrt().unsqueeze(-1)
        return (y * self.weight + self.bias).type(x.dtype)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.order = "pre" if norm_first else "post"

    def forward(self, x, sublayer):
        match self.order:
            case "pre":
                return x + self.dropout(sublayer(LayerNorm.forward(self, x)))
            case _:
                return LayerNorm.forward(self, x + self.dropout(sublayer(x)))
