# style: the table in NumPy, as many tutorials have it
import numpy as np
import torch
import torch.nn as nn


def sinusoidal_table(max_len, d_model):
    position = np.arange(max_len)[:, np.newaxis]
    i = np.arange(d_model)[np.newaxis, :]
    angles = position / np.power(10000, (2 * (i // 2)) / np.float64(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles).float()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError("Sequence length %s > max_len %s" % (x.shape[1], self.pe.shape[1]))
        return self.dropout(x + self.pe[:, :x.shape[1], :].clone().detach())


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        if x.shape[1] > self.embedding.weight.shape[0]:
            raise ValueError("Sequence length %s > max_len %s" % (x.shape[1], self.embedding.weight.shape[0]))
        pos = torch.from_numpy(np.arange(x.shape[1])).to(x.device)
        return self.dropout(x + self.embedding(pos))
