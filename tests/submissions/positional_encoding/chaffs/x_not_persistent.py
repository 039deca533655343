# fault: table-not-a-buffer
# line: 25
# what: the buffer is not in the state dict
import torch
import torch.nn as nn


def sinusoidal_table(max_len: int, d_model: int) -> torch.Tensor:
    pos = torch.arange(max_len, dtype=torch.float64)[:, None]
    col = torch.arange(d_model)[None, :]
    pair = torch.div(col, 2, rounding_mode="floor")
    angle = pos / 10000.0 ** (2 * pair.double() / d_model)
    table = torch.where(col % 2 == 0, angle.sin(), angle.cos())
    return table.float()


def check_length(length, limit):
    if length > limit:
        raise ValueError("got %d tokens, but the table has only %d positions" % (length, limit))


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model)[None], persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        check_length(x.shape[1], self.pe.shape[1])
        return self.drop(x + self.pe[:, : x.shape[1], :])


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        check_length(x.shape[1], self.embedding.num_embeddings)
        ids = torch.arange(x.shape[1], device=x.device)
        return self.drop(x + self.embedding(ids)[None])
