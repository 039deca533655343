# fault: -
# line: 24
# what: the packed projection for self-attention is also used where only key and value are the same tensor
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def project(self, query, key, value):
        if key is value:  # self-attention, it thinks
            weight = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
            biases = [layer.bias for layer in (self.W_q, self.W_k, self.W_v)]
            bias = None if biases[0] is None else torch.cat(biases)
            return nn.functional.linear(query, weight, bias).chunk(3, dim=-1)
        return self.W_q(query), self.W_k(key), self.W_v(value)

    def split(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = map(self.split, self.project(query, key, value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(mask == 0, 0.0)
        weights = self.dropout(weights)
        out = (weights @ v).transpose(1, 2).reshape(query.shape)
        return self.W_o(out), weights
