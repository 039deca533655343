# fault: table-not-a-buffer
# line: 35
# what: no pe at all: the table is built anew in every forward
import math
import torch
import torch.nn as nn


def sinusoidal_table(max_len, d_model):
    rows = []
    for pos in range(max_len):
        row = []
        for j in range(d_model):
            i = j // 2
            angle = pos / math.pow(10000, 2 * i / d_model)
            if j % 2 == 0:
                row.append(math.sin(angle))
            else:
                row.append(math.cos(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.float32)


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super(SinusoidalPositionalEncoding, self).__init__()
        self.max_len = max_len
        self.d_model = d_model
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, seq_len, d_model = x.shape
        if seq_len > self.max_len:
            raise ValueError('sequence too long: ' + str(seq_len) + ' > ' + str(self.max_len))
        pe = sinusoidal_table(seq_len, self.d_model).to(x)
        out = x + pe.unsqueeze(0)
        out = self.dropout(out)
        return out


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super(LearnedPositionalEncoding, self).__init__()
        self.max_len = max_len
        self.embedding = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, seq_len, d_model = x.shape
        if seq_len > self.max_len:
            raise ValueError('sequence too long: ' + str(seq_len) + ' > ' + str(self.max_len))
        ids = torch.tensor([p for p in range(seq_len)], device=x.device)
        ids = ids.unsqueeze(0).expand(batch, seq_len)
        out = x + self.embedding(ids)
        out = self.dropout(out)
        return out
