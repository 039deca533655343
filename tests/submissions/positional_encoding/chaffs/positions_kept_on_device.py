# fault: learned-positions-on-cpu
# tier: edge
# line: 45
# what: the positions of the first call are kept as a plain attribute, which stays behind when the module moves
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)[:, None]
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position / 10000 ** (two_i / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle[:, : d_model // 2].cos()
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        S, M = x.size(1), self.pe.size(1)
        if S > M:
            raise ValueError(f"{S} > {M}")
        return self.dropout(x + self.pe[:, :S].to(x.dtype))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.pos = None
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        S, M = x.size(1), self.embedding.num_embeddings
        if S > M:
            raise ValueError(f"{S} > {M}")
        if self.pos is None or self.pos.size(0) < S:
            self.pos = torch.arange(S, device=x.device)
        return self.dropout(x + self.embedding(self.pos[:S]))
