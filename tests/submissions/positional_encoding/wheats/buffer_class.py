# style: nn.Buffer, out= arguments, and a dropout built from torch.rand
import math
import torch
from torch import nn


@torch.no_grad()
def sinusoidal_table(max_len, d_model):
    out = torch.zeros(max_len, d_model, dtype=torch.double)
    where = torch.arange(max_len)
    for k in range(0, d_model, 2):
        a = where.double().mul(math.exp(-k * math.log(1e4) / d_model))
        torch.sin(a, out=out[:, k])
        if k + 1 < d_model:
            torch.cos(a, out=out[:, k + 1])
    return out.type(torch.float32)


class HandmadeDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        if self.p >= 1:
            return x * 0
        keep = torch.rand_like(x) >= self.p
        return x * keep / (1 - self.p)


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.pe = nn.Buffer(sinusoidal_table(max_len, d_model)[None])
        self.noise = HandmadeDropout(dropout)

    def forward(self, x):
        seq = x.shape[-2]
        longest = self.pe.shape[-2]
        if longest < seq:
            raise ValueError(f"max_len={longest} < {seq}")
        return self.noise(self.pe[..., :seq, :] + x)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model, dtype=torch.float32)
        self.noise = HandmadeDropout(dropout)

    def forward(self, x):
        seq = x.shape[-2]
        longest = self.embedding.num_embeddings
        if longest < seq:
            raise ValueError(f"max_len={longest} < {seq}")
        one_hot = torch.eye(longest, dtype=x.dtype, device=x.device)[:seq]
        return self.noise(one_hot @ self.embedding.weight + x)
