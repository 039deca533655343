# style: cmath per entry in list comprehensions, one checking helper shared by inheritance
import cmath
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    def entry(p, c):
        z = cmath.rect(1.0, p * 10000.0 ** (-(c - c % 2) / d_model))
        return z.real if c & 1 else z.imag
    flat = [entry(p, c) for p in range(max_len) for c in range(d_model)]
    return torch.tensor(flat).view(max_len, d_model)


class _Base(nn.Module):
    def __init__(self, max_len, dropout):
        super().__init__()
        self.max_len, self.drop = max_len, nn.Dropout(dropout)

    def first(self, length):
        if length not in range(self.max_len + 1):
            raise ValueError(f"length {length} not in 0..{self.max_len}")
        return slice(0, length)


class SinusoidalPositionalEncoding(_Base):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__(max_len, dropout)
        self.register_buffer("pe", torch.stack([sinusoidal_table(max_len, d_model)]))

    def forward(self, x):
        rows, = self.pe[:, self.first(x.size(1))]
        return self.drop(torch.stack([sequence + rows for sequence in x]))


class LearnedPositionalEncoding(_Base):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__(max_len, dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        rows = self.embedding.weight[self.first(x.size(1))]
        return self.drop(torch.stack([sequence + rows for sequence in x]))
