# fault: unbiased-variance, norm-order-swapped
# what: Bessel's correction, and the orders exchanged
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        n = x.shape[-1]
        mean = x @ x.new_ones(n, 1) / n
        gap = x - mean
        spread = (gap * gap) @ x.new_ones(n, 1) / (n - 1)
        return self.bias + self.weight * gap * (spread + self.eps).rsqrt()


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        LayerNorm.__init__(self, d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.steps = (self.post, self.pre)[not norm_first]

    def pre(self, x, f):
        return x + self.drop(f(LayerNorm.forward(self, x)))

    def post(self, x, f):
        return LayerNorm.forward(self, x + self.drop(f(x)))

    def forward(self, x, sublayer):
        return self.steps(x, sublayer)
