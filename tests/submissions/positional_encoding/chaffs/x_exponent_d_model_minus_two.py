# fault: frequency-exponent-wrong
# line: 11
# what: spreads the exponents up to exactly one (tensor2tensor style)
import torch
from torch import nn
import torch.nn.functional as F


def sinusoidal_table(max_len, d_model):
    n = (d_model + 1) // 2
    step = torch.tensor([10000 ** (-k / max(n - 1, 1)) for k in range(n)], dtype=torch.float64)
    sin1, cos1 = torch.sin(step), torch.cos(step)
    s = torch.zeros(n, dtype=torch.float64)
    c = torch.ones(n, dtype=torch.float64)
    table = torch.zeros(max_len, 2 * n, dtype=torch.float64)
    for p in range(max_len):
        table[p, 0::2] = s
        table[p, 1::2] = c
        s, c = s * cos1 + c * sin1, c * cos1 - s * sin1
    return table[:, :d_model].float()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout_p = dropout
        self.register_buffer("pe", torch.unsqueeze(sinusoidal_table(max_len, d_model), 0))

    def forward(self, x):
        length = x.size(1)
        if not length <= self.pe.size(1):
            raise ValueError(f"max_len is {self.pe.size(1)}, the sequence has {length}")
        y = torch.add(x, self.pe[:, :length].expand(x.size(0), -1, -1))
        return F.dropout(y, p=self.dropout_p, training=self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout_p = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        length = x.size(1)
        if not length <= self.embedding.num_embeddings:
            raise ValueError(f"max_len is {self.embedding.num_embeddings}, the sequence has {length}")
        index = torch.ones(length, dtype=torch.long, device=x.device).cumsum(0) - 1
        y = torch.add(x, F.embedding(index, self.embedding.weight))
        return F.dropout(y, p=self.dropout_p, training=self.training)
