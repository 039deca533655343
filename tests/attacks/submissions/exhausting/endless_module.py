# exercise: layer_norm
# tries: makes modules of a hundred thousand parts, and one that holds itself
# expect: failed|stopped
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1))
        self.parts = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(20_000)])
        self._modules["me"] = self

    def train(self, mode=True):
        return self

    def forward(self, x):
        return x * 0


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)

    def forward(self, x, sublayer):
        return sublayer(x) * 0
