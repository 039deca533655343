# fault: output-detached
# line: 33
# what: the gradient stops here
import torch
import torch.nn as nn

BASE = 10000.0


def sinusoidal_table(max_len, d_model):
    table = torch.empty(max_len, d_model)
    positions = torch.arange(max_len, dtype=torch.float64)
    for column in range(0, d_model, 2):
        angles = positions / BASE ** (column / d_model)
        table[:, column] = torch.sin(angles)
        if column + 1 < d_model:
            table[:, column + 1] = torch.cos(angles)
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", torch.empty(1, max_len, d_model))
        self.pe[0] = sinusoidal_table(max_len, d_model)

    def forward(self, x):
        B, S, D = x.shape
        if S > self.pe.shape[1]:
            raise ValueError(f"S={S} exceeds max_len={self.pe.shape[1]}")
        positions = torch.arange(S, device=x.device)
        return self.dropout(x.detach() + self.pe.index_select(1, positions))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.embedding = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, x):
        B, S, D = x.shape
        if S > self.embedding.num_embeddings:
            raise ValueError(f"S={S} exceeds max_len={self.embedding.num_embeddings}")
        positions = torch.arange(S, device=x.device).repeat(B, 1)
        return self.dropout(x + self.embedding(positions))
