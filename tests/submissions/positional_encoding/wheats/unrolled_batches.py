# style: explicit result tensor filled position by position; training decided with self.training
import math
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    table = torch.zeros((max_len, d_model))
    for pos in range(max_len):
        for two_i in range(0, d_model, 2):
            angle = pos / (10000 ** (two_i / d_model))
            table[pos][two_i] = math.sin(angle)
            if two_i < d_model - 1:
                table[pos][two_i + 1] = math.cos(angle)
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len
        self.dropout = dropout
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
        self.register_buffer("pe", pe)

    def forward(self, x):
        assert x.dim() == 3
        if x.size(1) > self.max_len:
            raise ValueError(f"Input length {x.size(1)} exceeds maximum length {self.max_len}")
        result = torch.zeros_like(x)
        for t in range(x.size(1)):
            result[:, t] = x[:, t] + self.pe[0, t]
        if self.training:
            result = torch.dropout(result, self.dropout, train=True)
        return result


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.max_len = max_len
        self.dropout = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        assert x.dim() == 3
        if x.size(1) > self.max_len:
            raise ValueError(f"Input length {x.size(1)} exceeds maximum length {self.max_len}")
        pieces = []
        for t in range(x.size(1)):
            pieces.append(x[:, t : t + 1] + self.embedding(torch.tensor([t], device=x.device)))
        result = torch.cat(pieces, dim=1)
        if self.training:
            result = torch.dropout(result, self.dropout, train=True)
        return result
