# style: inline, filled with the lowest number of the input's dtype
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, x):
        B, S, _ = x.shape
        return x.view(B, S, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self._heads(self.W_q(query))
        k = self._heads(self.W_k(key))
        v = self._heads(self.W_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        blocked = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            blocked = mask == 0
            scores = scores.masked_fill(blocked, torch.finfo(query.dtype).min)
        weights = scores.softmax(dim=-1)
        if blocked is not None:
            weights = weights.masked_fill(blocked, 0.0)
        weights = self.dropout(weights)
        out = (weights @ v).transpose(1, 2).reshape(query.shape)
        return self.W_o(out), weights
