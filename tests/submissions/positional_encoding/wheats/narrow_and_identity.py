# style: narrow, Identity for no dropout, ValueError with two arguments
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


class SinusoidalPositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        pe = sinusoidal_table(max_len, d_model)
        pe = pe.view(1, max_len, d_model).clone().requires_grad_(False)
        self.register_buffer("pe", pe)

    def forward(self, x):
        if (n := x.size(1)) > (m := self.pe.size(1)):
            raise ValueError(n, m)
        x = x + self.pe.narrow(1, 0, n).detach()
        return self.dropout(x)


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
