# fault: position-reversed
# line: 42
# what: learned rows in reverse order
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    half = -(-d_model // 2)                                   # rounded up
    i = torch.arange(half, dtype=torch.float64)
    inv_freq = torch.exp2(-(2 * i / d_model) * torch.log2(torch.tensor(1e4, dtype=torch.float64)))
    p = torch.arange(max_len, dtype=torch.float64)
    ang = torch.einsum("p,f->pf", p, inv_freq)
    table = torch.stack((ang.sin(), ang.cos()), dim=2).flatten(start_dim=1)
    return table[:, :d_model].contiguous().float()


class SinusoidalPositionalEncoding(nn.Module):
    pe: torch.Tensor

    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze_(0))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        (_, S, _), (_, M, _) = x.shape, self.pe.shape
        if S <= M:
            return self.dropout(x.add(self.pe[:, :S].to(x)))
        raise ValueError(f"input has length {S}; this encoding stops at max_len={M}")


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(num_embeddings=max_len, embedding_dim=d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        S, M = x.shape[1], self.embedding.weight.shape[0]
        if S <= M:
            where = torch.arange(S - 1, -1, -1, dtype=torch.long, device=x.device)
            return self.dropout(x.add(self.embedding(where)))
        raise ValueError(f"input has length {S}; this encoding stops at max_len={M}")
