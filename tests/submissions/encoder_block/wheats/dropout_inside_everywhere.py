# style: dropout in attention, FFN and residuals, torch.add, results unpacked by name
from __future__ import annotations

import torch
import torch.nn as nn
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from torch import Tensor


class FeedForward(nn.Module):
    """Position-wise network."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.linear2 = nn.Linear(in_features=d_ff, out_features=d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        hidden = self.dropout(self.linear1(flat)).relu()  # zeros stay zeros, so the order does not matter
        return self.linear2(hidden).reshape(x.shape)


class EncoderBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model=d_model, d_ff=d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model=d_model, eps=1e-12)
        self.norm2 = LayerNorm(d_model=d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = bool(norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        match_norm = (lambda norm, t: norm(t)) if self.norm_first else (lambda norm, t: t)
        close = (lambda norm, t: t) if self.norm_first else (lambda norm, t: norm(t))
        query = match_norm(self.norm1, x)
        attended, weights = self.self_attn(query=query, key=query, value=query, mask=mask)
        del weights
        x = close(self.norm1, torch.add(x, self.dropout(attended)))
        fed = self.feed_forward(match_norm(self.norm2, x))
        return close(self.norm2, torch.add(x, self.dropout(fed)))
