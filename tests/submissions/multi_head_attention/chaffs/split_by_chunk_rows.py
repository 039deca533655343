# fault: heads-split-wrong-axes
# what: chunks along the sequence, not along the features
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, L, _ = query.shape
        S = key.size(1)
        q = self.W_q(query).view(B, L, self.num_heads, self.d_k).transpose(1, 2)
        k = self.W_k(key).transpose(1, 2).reshape(B, self.num_heads, S, self.d_k)
        v = self.W_v(value).view(B, S, self.num_heads, self.d_k).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights.masked_fill(mask == 0, 0.0)
        weights = self.dropout(weights)
        out = (weights @ v).transpose(1, 2).reshape(B, L, self.d_model)
        return self.W_o(out), weights
