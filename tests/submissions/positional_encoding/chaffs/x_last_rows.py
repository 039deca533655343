# fault: last-rows-taken
# line: 29
# what: takes the last S rows of the table
import torch
from torch import nn


def sinusoidal_table(max_len, d_model):
    pairs = (d_model + 1) // 2
    omega = torch.tensor(10000.0, dtype=torch.float64) ** (
        -2.0 * torch.arange(pairs, dtype=torch.float64) / d_model
    )
    theta = torch.outer(torch.arange(max_len, dtype=torch.float64), omega)
    circle = torch.polar(torch.ones_like(theta), theta)      # e^{i theta}
    interleaved = torch.view_as_real(circle).flip(-1)        # (sin, cos)
    return interleaved.flatten(1)[:, :d_model].to(torch.float32)


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        S, limit = x.size(-2), self.pe.size(1)
        if S > limit:
            raise ValueError(f"{S} positions asked for, {limit} available")
        pos = self.pe.narrow(1, limit - S, S)
        return nn.functional.dropout(x + pos, self.p, self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x):
        S, limit = x.size(-2), self.embedding.num_embeddings
        if S > limit:
            raise ValueError(f"{S} positions asked for, {limit} available")
        pos = self.embedding.weight.narrow(0, 0, S)
        return nn.functional.dropout(x + pos, self.p, self.training)
