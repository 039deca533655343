# style: the class makes its table by itself in pieces, the function goes through the class
import torch
from torch import nn


class SinusoidalPositionalEncoding(nn.Module):
    """The table is made here; `sinusoidal_table` below asks this class."""

    BASE = 10_000

    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = self.angle(max_len, d_model, 0).sin()
        pe[0, :, 1::2] = self.angle(max_len, d_model, 1).cos()
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)
        self.d_model = d_model

    @classmethod
    def angle(cls, max_len, d_model, first):
        columns = torch.arange(first, d_model, 2, dtype=torch.float64) - first
        return torch.arange(max_len, dtype=torch.float64)[:, None] / torch.tensor(cls.BASE).double() ** (columns / d_model)

    def forward(self, x):
        length, available = x.shape[1], self.pe.shape[1]
        if length > available:
            raise ValueError("length: %d, max_len: %d" % (length, available))
        return self.dropout(x + self.pe[:, :length].type_as(x))


def sinusoidal_table(max_len, d_model):
    return SinusoidalPositionalEncoding(d_model, max_len).pe[0]


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        nn.Module.__init__(self)
        self.embedding = nn.Embedding(max_len, d_model)
        nn.init.zeros_(self.embedding.weight)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        length, available = x.shape[1], len(self.embedding.weight)
        if length > available:
            raise ValueError("length: %d, max_len: %d" % (length, available))
        table = self.embedding(torch.arange(available, device=x.device))
        return self.dropout(x + table[:length].type_as(x))
