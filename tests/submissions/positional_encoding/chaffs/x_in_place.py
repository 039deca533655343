# fault: input-modified
# line: 27
# what: changes the caller's tensor
import torch as t
import torch.nn as nn


def sinusoidal_table(max_len, d_model):
    p, k = t.meshgrid(t.arange(max_len).double(), t.arange(0, d_model, 2).double(), indexing="ij")
    a = p * (1e-4) ** (k / d_model)
    cols = []
    for j in range(a.shape[1]):
        cols.append(t.stack([a[:, j].sin(), a[:, j].cos()], -1))
    return t.cat(cols, -1)[:, :d_model].float()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.do = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None])

    def forward(self, x):
        n = x.shape[1]
        m = self.pe.shape[1]
        if n > m: raise ValueError(f"too long: {n} (max {m})")
        x += self.pe[:, :n]
        return self.do(x)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.do = nn.Dropout(dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        n = x.shape[1]
        m = self.embedding.num_embeddings
        if n > m: raise ValueError(f"too long: {n} (max {m})")
        e = self.embedding(t.arange(n, device=x.device))
        return self.do(x + e)
