# fault: positions-in-half-precision
# tier: edge
# line: 32
# what: the rows of the table are looked up by positions in the dtype of x

import math

import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = torch.sin(position * div_term)
    table[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        length = x.size(1)
        if length > self.pe.size(1):
            raise ValueError(f"{length} tokens, but max_len is {self.pe.size(1)}")
        rows = torch.arange(length).to(x).long()
        return self.dropout(x + self.pe[:, rows])


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        length = x.size(1)
        if length > self.embedding.num_embeddings:
            raise ValueError(f"{length} tokens, but max_len is {self.embedding.num_embeddings}")
        positions = torch.arange(length, device=x.device)
        return self.dropout(x + self.embedding(positions))
