# style: an nn.Linear subclass that splits heads itself
import math

import torch
from torch import nn


class HeadLinear(nn.Linear):
    """A linear layer whose output is already split: (B, S, d) to (B, H, S, d_k)."""

    def __init__(self, width, heads, bias):
        super().__init__(width, width, bias=bias)
        self.heads = heads

    def forward(self, x):
        return super().forward(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features cannot be shared by {num_heads} heads")
        for name in ("W_q", "W_k", "W_v"):
            setattr(self, name, HeadLinear(d_model, num_heads, bias))
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            mask = mask.bool()
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            w = s.masked_fill(~mask, torch.finfo(s.dtype).min).softmax(-1) * mask
        else:
            w = s.softmax(-1)
        w = self.drop(w)
        return self.W_o((w @ v).transpose(1, 2).flatten(2)), w
