# fault: super-init-missing
# line: 25
# what: super().__init__() is forgotten
import torch
from torch import nn


def sinusoidal_table(max_len: int, d_model: int) -> torch.Tensor:
    """Sines in the even columns, cosines in the odd ones: float32 (max_len, d_model)."""
    # In float64: a float32 angle is already off in the fourth decimal around position 5000.
    position = torch.arange(max_len, dtype=torch.float64)[:, None]  # (max_len, 1)
    two_i = torch.arange(0, d_model, 2, dtype=torch.float64)  # (ceil(d_model / 2),)
    angle = position / 10000 ** (two_i / d_model)  # (max_len, ceil(d_model / 2))

    table = torch.empty(max_len, d_model, dtype=torch.float32)  # (max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle[:, : d_model // 2].cos()  # an odd d_model has one cosine fewer
    return table


class SinusoidalPositionalEncoding(nn.Module):
    """Adds the fixed sinusoidal table to x (B, S, d_model), then applies dropout."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        self.d_model = d_model
        table = sinusoidal_table(max_len, d_model)  # (max_len, d_model)
        self.register_buffer("pe", table.unsqueeze(0))  # (1, max_len, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        S, max_len = x.size(1), self.pe.size(1)
        if max_len < S:
            raise ValueError(f"sequence length {S} exceeds max_len {max_len}")
        return self.dropout(x + self.pe[:, :S].to(x.dtype))  # (B, S, d_model)


class LearnedPositionalEncoding(nn.Module):
    """Adds one trained vector per position to x (B, S, d_model), then applies dropout."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        S, max_len = x.size(1), self.embedding.num_embeddings
        if max_len < S:
            raise ValueError(f"sequence length {S} exceeds max_len {max_len}")
        position = torch.arange(S, device=x.device)  # (S,)
        return self.dropout(x + self.embedding(position).to(x.dtype))  # (B, S, d_model)
