# fault: default-wrong
# line: 11
# what: without a rate a tenth of the weights is dropped; the default of the exercise is 0
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = map(self.split, (self.W_q(query), self.W_k(key), self.W_v(value)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(mask == 0, 0.0)
        weights = self.dropout(weights)
        out = (weights @ v).transpose(1, 2).reshape(query.shape)
        return self.W_o(out), weights
