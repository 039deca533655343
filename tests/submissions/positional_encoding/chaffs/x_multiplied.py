# fault: position-multiplied
# line: 35
# what: multiplies by the positions
import math
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    freq = torch.exp(-math.log(10000.0) * even / d_model)
    angle = torch.arange(max_len, dtype=torch.float64).unsqueeze(-1) * freq
    out = torch.zeros((max_len, d_model), dtype=torch.float32)
    out[:, ::2].copy_(torch.sin(angle))
    odd = out[:, 1::2]
    odd.copy_(torch.cos(angle)[:, : odd.shape[1]])
    return out


def _too_long(length, limit):
    return ValueError(f"sequence of length {length}, but max_len={limit}")


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).reshape(1, max_len, d_model))
        self.drop = nn.Dropout(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x):
        rows = torch.split(self.pe, x.shape[1], dim=1)[0]
        if rows.shape[1] != x.shape[1]:
            raise _too_long(x.shape[1], self.max_len)
        return self.drop(rows * x)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.embedding = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout) if dropout > 0 else nn.Identity()

    def forward(self, x):
        rows = self.embedding.weight[: x.shape[1]]
        if rows.shape[0] != x.shape[1]:
            raise _too_long(x.shape[1], self.max_len)
        return self.drop(rows + x)
