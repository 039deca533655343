# style: frequencies by a cumulative product, angles by a cumulative sum, a buffer declared as None first
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    pairs = d_model // 2 + d_model % 2
    ratio = 10000.0 ** (-2.0 / d_model)
    freqs = torch.full((pairs,), ratio, dtype=torch.float64)
    freqs[0] = 1.0
    freqs = freqs.cumprod(0)
    steps = freqs.repeat(max_len, 1)
    steps[0] = 0
    angles = steps.cumsum(0).repeat_interleave(2, dim=1)[:, :d_model]
    even = (torch.arange(d_model) % 2 == 0).to(angles)
    return (even * angles.sin() + (1 - even) * angles.cos()).float()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.register_buffer(name="pe", tensor=None)
        self.pe = sinusoidal_table(max_len, d_model).reshape(1, max_len, d_model)
        self.post = nn.Sequential(nn.Dropout(dropout))

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            msg = "sequence of {} is longer than the table of {}"
            raise ValueError(msg.format(x.size(1), self.pe.size(1)))
        steps = torch.arange(x.size(1), device=self.pe.device)
        return self.post(x + self.pe[:, steps])


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.randn(max_len, d_model) * 0.02, freeze=False)
        self.register_buffer("steps", torch.arange(max_len), persistent=False)
        self.post = nn.Sequential(nn.Dropout(dropout))

    def forward(self, x):
        if x.size(1) > self.steps.numel():
            msg = "sequence of {} is longer than the table of {}"
            raise ValueError(msg.format(x.size(1), self.steps.numel()))
        return self.post(x + self.embedding(self.steps[: x.size(1)]))
