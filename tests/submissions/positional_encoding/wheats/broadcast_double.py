# style: broadcasting without a loop, the angle of the cosine shifted, cast in forward, nn.Dropout renamed
import torch
import torch.nn as nn
from math import log


def sinusoidal_table(max_len, d_model):
    pos = torch.arange(max_len, dtype=torch.int64)
    dim = torch.arange(d_model, dtype=torch.int64)
    exponent = (dim - dim.remainder(2)).to(torch.float64) / d_model
    grid = pos.to(torch.float64)[:, None] * torch.exp(-exponent * log(10000.0))[None, :]
    sines = grid.sin() * dim.remainder(2).eq(0)
    cosines = grid.cos() * dim.remainder(2).eq(1)
    return (sines + cosines).to(torch.get_default_dtype())


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super(SinusoidalPositionalEncoding, self).__init__()
        self.regularizer = nn.Dropout(p=dropout, inplace=False)
        self.register_buffer('pe', sinusoidal_table(max_len, d_model)[None])
        self.pe.requires_grad = False

    def forward(self, x):
        _, length, _ = x.shape
        if length > self.pe.size(1):
            raise ValueError(f"{length} exceeds {self.pe.size(1)}")
        with torch.no_grad():
            rows = self.pe[:, :length].to(device=x.device, dtype=x.dtype)
        return self.regularizer(x + rows)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super(LearnedPositionalEncoding, self).__init__()
        self.regularizer = nn.Dropout(p=dropout, inplace=True)
        self.embedding = nn.Embedding(num_embeddings=max_len, embedding_dim=d_model)
        nn.init.trunc_normal_(self.embedding.weight, std=0.02)

    def forward(self, x):
        _, length, _ = x.shape
        if length > self.embedding.num_embeddings:
            raise ValueError(f"{length} exceeds {self.embedding.num_embeddings}")
        index = torch.arange(self.embedding.num_embeddings, device=x.device)[None, :length].repeat(x.shape[0], 1)
        return self.regularizer(x + self.embedding(index))
