# style: nn.Buffer where there is one, a subclass of ValueError
import math

import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    p = torch.arange(max_len, dtype=torch.float64)[:, None]
    w = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    t = torch.zeros(max_len, d_model)
    t[:, ::2] = (p * w).sin()
    t[:, 1::2] = (p * w).cos()[:, : d_model // 2]
    return t


class TooLong(ValueError):
    def __init__(self, n, limit):
        super().__init__(f"got a sequence of {n} tokens, the table has {limit} rows")


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super(SinusoidalPositionalEncoding, self).__init__()
        self.pe = nn.Buffer(sinusoidal_table(max_len, d_model)[None]) if hasattr(nn, "Buffer") else None
        if self.pe is None:
            del self.pe
            self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        n = x.shape[1]
        if n > self.pe.shape[1]:
            raise TooLong(n, self.pe.shape[1])
        return self.dropout(torch.add(x, self.pe[:, :n]))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        S, most = x.size(1), self.embedding.num_embeddings
        if S > most:
            raise ValueError(f"{S} tokens do not fit into max_len = {most}")
        return self.drop(x + self.embedding(torch.arange(S, device=x.device)))
