# fault: embedding-missing
# line: 48
# what: the submodule is called pe, not embedding
from math import pi

import torch
from torch import nn, Tensor


def sinusoidal_table(max_len: int, d_model: int) -> Tensor:
    c = torch.arange(d_model, dtype=torch.float64)
    odd = c % 2
    wavelength = torch.pow(1e4, (c - odd) / d_model)
    p = torch.arange(max_len, dtype=torch.float64).reshape(-1, 1)
    return torch.sin(p / wavelength + odd * (pi / 2)).to(torch.float32)


class _Positions(nn.Module):
    """Common part: which rows, how they are added, and the dropout."""

    def __init__(self, max_len: int, dropout: float):
        super().__init__()
        self.limit = max_len
        self.regularise = nn.Dropout(dropout)

    def rows(self, length: int) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length > self.limit:
            raise ValueError(f"cannot encode {length} positions, the limit is {self.limit}")
        return self.regularise(x + self.rows(length))


class SinusoidalPositionalEncoding(_Positions):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__(max_len, dropout)
        self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None, :, :])

    def rows(self, length: int) -> Tensor:
        return self.pe[:, :length]


class LearnedPositionalEncoding(_Positions):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__(max_len, dropout)
        self.pe = nn.Embedding(max_len, d_model)

    def rows(self, length: int) -> Tensor:
        return self.pe.weight[:length]
