# style: torch.exp of an imaginary angle, real and imaginary parts zipped by index_copy
import math
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    evens = torch.arange(0, d_model, 2)
    odds = torch.arange(1, d_model, 2)
    theta = torch.arange(max_len, dtype=torch.float64)[:, None] * torch.exp(evens.double() / d_model * -math.log(10000))
    z = torch.exp(1j * theta)
    table = torch.zeros(max_len, d_model, dtype=torch.float64)
    table = table.index_copy(1, evens, z.imag)
    table = table.index_copy(1, odds, z.real[:, : len(odds)])
    return table.float()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.rate = dropout
        table = sinusoidal_table(max_len, d_model)
        self.register_buffer("pe", table.expand(1, -1, -1).clone())

    def forward(self, x):
        n, m = x.size(1), self.pe.size(1)
        if n > m:
            raise ValueError(f"{n=} {m=}")
        y = x.clone()
        y.add_(torch.index_select(self.pe, 1, torch.arange(n, device=x.device)))
        return nn.functional.dropout(y, self.rate, training=self.training, inplace=False)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.rate = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        n, m = x.size(1), self.embedding.num_embeddings
        if n > m:
            raise ValueError(f"{n=} {m=}")
        y = x.clone()
        y += self.embedding.weight[None, 0:n]
        return nn.functional.dropout(y, self.rate, training=self.training, inplace=True)
