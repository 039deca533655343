# fault: length-check-on-width
# line: 34
# what: the check compares the width with max_len
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoidal_table(max_len, d_model):
    table = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for j in range(d_model):
            angle = pos / 10000 ** (2 * (j // 2) / d_model)
            table[pos, j] = math.sin(angle) if j % 2 == 0 else math.cos(angle)
    return table


def check(length, limit):
    if length > limit:
        raise ValueError("%d tokens do not fit into %d positions" % (length, limit))


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.p = dropout
        pe = torch.zeros(1, max_len, d_model)
        pe[0] = sinusoidal_table(max_len, d_model)
        self.register_buffer("pe", pe)

    def forward(self, x):
        B, S, D = x.shape
        check(D, self.pe.shape[1])
        y = x + self.pe[:, :S, :]
        return F.dropout(y, p=self.p, training=self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        B, S, D = x.shape
        check(S, self.embedding.num_embeddings)
        y = x + self.embedding.weight[:S]
        return F.dropout(y, p=self.p, training=self.training)
