# exercise: layer_norm
# honest: layer_norm_misnamed
# tries: has a parameter of one number that claims to be as wide as it should
# expect: failed
import torch
from torch import nn


class Wide(nn.Parameter):
    @property
    def shape(self):
        return torch.Size([self.claims])

    def size(self, dim=None):
        return self.shape if dim is None else self.claims


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(1))
        for parameter in (self.weight, self.bias):
            parameter.__class__ = Wide
            parameter.claims = d_model

    def forward(self, x):
        return x * 0


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)

    def forward(self, x, sublayer):
        return sublayer(x) * 0
