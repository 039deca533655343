# style: the weight matrices sliced by hand, outputs summed through W_o per head
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """softmax(Q_h K_h^T) V_h W_o[:, h] summed over h: the concatenation is never built."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} % {num_heads} != 0")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def project(self, layer, x, h):
        rows = slice(h * self.d_k, (h + 1) * self.d_k)
        b = None if layer.bias is None else layer.bias[rows]
        return F.linear(x, layer.weight[rows], b)

    def forward(self, query, key, value, mask=None):
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is not None:
            mask = (mask[:, None] if mask.dim() == 3 else mask).bool().expand(B, self.num_heads, L, S)
        total, weights = 0, []
        for h in range(self.num_heads):
            q, k, v = self.project(self.W_q, query, h), self.project(self.W_k, key, h), self.project(self.W_v, value, h)
            s = q @ k.mT / math.sqrt(self.d_k)
            if mask is not None:
                s = s.masked_fill(~mask[:, h], -torch.inf)
            a = s.softmax(-1)
            if mask is not None:
                a = a.masked_fill(~mask[:, h], 0.0)
            a = self.dropout(a)
            weights.append(a)
            total = total + F.linear(a @ v, self.W_o.weight[:, h * self.d_k:(h + 1) * self.d_k])
        if self.W_o.bias is not None:
            total = total + self.W_o.bias
        return total, torch.stack(weights, 1)
