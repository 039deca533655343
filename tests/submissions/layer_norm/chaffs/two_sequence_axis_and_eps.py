# fault: normalises-sequence-axis, eps-outside-sqrt
# what: axis 1 and std + eps
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        for name, fill in (("weight", 1.0), ("bias", 0.0)):
            self.register_parameter(name, nn.Parameter(torch.full((d_model,), fill)))
        self.eps = eps

    def forward(self, x):
        std, mean = torch.std_mean(x, dim=-2 if x.ndim > 1 else 0, correction=0, keepdim=True)
        return torch.addcmul(self.bias, (x - mean) / (std + self.eps), self.weight)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps=eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def forward(self, x, sublayer):
        inner = super().forward
        y = self.drop(sublayer(inner(x) if self.norm_first else x))
        return x + y if self.norm_first else inner(x + y)
