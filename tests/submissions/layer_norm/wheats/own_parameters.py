# style: a function for the maths, AddNorm with parameters of its own
import torch
import torch.nn as nn


def normalise(x, gain, shift, eps):
    mean = torch.mean(x, -1, keepdim=True)
    std = (torch.var(x, -1, correction=0, keepdim=True) + eps) ** 0.5
    return torch.addcmul(shift, gain, (x - mean) / std)


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        return normalise(x, self.weight, self.bias, self.eps)


class AddNorm(nn.Module):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps, self.norm_first = eps, norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(normalise(x, self.weight, self.bias, self.eps)))
        return normalise(x + self.dropout(sublayer(x)), self.weight, self.bias, self.eps)
