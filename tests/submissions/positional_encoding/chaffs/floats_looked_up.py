# fault: tokens-as-positions
# line: 48
# what: the embedding is called with x

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoidal_table(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for i in range(d_model):
            angle = pos / 10000 ** (2 * (i // 2) / d_model)
            table[pos, i] = math.sin(angle) if i % 2 == 0 else math.cos(angle)
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.p = dropout
        pe = sinusoidal_table(max_len, d_model)
        self.register_buffer("pe", pe[None])

    def forward(self, x):
        B, S, D = x.shape
        if S > self.max_len:
            raise ValueError("got %d tokens, max_len is %d" % (S, self.max_len))
        out = x + self.pe[:, :S, :]
        return F.dropout(out, self.p, self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.p = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        B, S, D = x.shape
        if S > self.max_len:
            raise ValueError("got %d tokens, max_len is %d" % (S, self.max_len))
        out = x + self.embedding(x)
        return F.dropout(out, self.p, self.training)
