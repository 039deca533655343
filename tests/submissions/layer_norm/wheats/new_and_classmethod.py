# style: classmethod, property, lambda table of orders
import torch
from torch import nn


class LayerNorm(nn.Module):
    AXIS = -1

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = map(nn.Parameter, (torch.ones(d_model), torch.zeros(d_model)))
        self._eps = torch.tensor(eps, dtype=torch.float64)

    @property
    def eps(self):
        return self._eps.item()

    @classmethod
    def statistics(cls, x):
        count = x.size(cls.AXIS)
        mean = x.sum(cls.AXIS).unsqueeze(cls.AXIS) / count
        return mean, ((x - mean) ** 2).sum(cls.AXIS).unsqueeze(cls.AXIS) / count

    def forward(self, x):
        kind = x.dtype
        x = x + 0.0 if kind in (torch.float32, torch.float64) else x.float()
        mean, var = self.statistics(x)
        return ((x - mean) / (var + self.eps) ** 0.5 * self.weight + self.bias).to(kind)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.drop = nn.Dropout(dropout)
        self.order = {True: self._pre, False: self._post}[bool(norm_first)]

    def _pre(self, x, f):
        return x + self.drop(f(LayerNorm.forward(self, x)))

    def _post(self, x, f):
        return LayerNorm.forward(self, x + self.drop(f(x)))

    def forward(self, x, sublayer):
        return self.order(x, sublayer)
