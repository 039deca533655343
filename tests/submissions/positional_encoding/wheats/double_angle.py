# style: float64 table assembled column by column in a list, torch.stack at the end, add via addcmul
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    p = torch.linspace(0, max_len - 1, max_len, dtype=torch.float64)
    functions = (torch.sin, torch.cos)
    columns = [functions[c % 2](p * pow(10, -8 * (c // 2) / d_model)) for c in range(d_model)]
    return torch.stack(columns, dim=1).to(torch.float32)


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze(dim=0))
        self.register_buffer("one", torch.ones(1), persistent=False)
        self.drop1 = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        if T > self.pe.shape[1]:
            raise ValueError(f"T = {T} but only {self.pe.shape[1]} positions")
        return self.drop1(torch.addcmul(x, self.pe[:, :T], self.one))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.drop1 = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        if T > self.embedding.num_embeddings:
            raise ValueError(f"T = {T} but only {self.embedding.num_embeddings} positions")
        mask = torch.ones(x.shape[:2], dtype=torch.long, device=x.device)
        return self.drop1(x + self.embedding(mask.cumsum(dim=1) - 1))
