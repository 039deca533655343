# fault: output-detached
# line: 33
# what: in training, what comes out of the dropout is detached, so nothing before it learns
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64).unsqueeze(1)
    rate = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)[:, : d_model // 2]
    return table


class _Base(nn.Module):
    def __init__(self, max_len, dropout):
        super().__init__()
        self.max_len, self.rate = max_len, dropout

    def positions(self, x):
        raise AssertionError

    def forward(self, x):
        S = x.shape[1]
        if S > self.max_len:
            raise ValueError(f"{S} tokens, but max_len is {self.max_len}")
        y = x + self.positions(x)
        if not self.training:
            return y
        keep = torch.empty_like(y).bernoulli_(1 - self.rate)
        return (y * keep / (1 - self.rate) if self.rate < 1 else y * 0).detach()


class SinusoidalPositionalEncoding(_Base):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__(max_len, dropout)
        self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None])

    def positions(self, x):
        return self.pe[:, : x.shape[1]].to(x.dtype)


class LearnedPositionalEncoding(_Base):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__(max_len, dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def positions(self, x):
        return self.embedding(torch.arange(x.shape[1], device=x.device))
