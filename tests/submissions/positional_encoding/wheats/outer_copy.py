# style: torch.outer, integer arange converted late, copy_ into a registered buffer, an own exception class
import torch
import torch.nn as nn
import torch.nn.functional as F


class SequenceTooLong(ValueError):
    def __init__(self, got, most):
        super().__init__(f"got {got} tokens, at most {most} fit")


def sinusoidal_table(max_len: int, d_model: int) -> torch.Tensor:
    two_i = torch.arange(0, d_model, step=2)
    angle_rates = 1.0 / torch.pow(10000, two_i / d_model)
    angles = torch.outer(torch.arange(max_len), angle_rates)
    table = torch.zeros(max_len, d_model)
    table[:, two_i] = torch.sin(angles)
    table[:, two_i[: d_model // 2] + 1] = torch.cos(angles[:, : d_model // 2])
    return table


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", torch.empty(1, max_len, d_model), persistent=True)
        with torch.no_grad():
            self.pe.copy_(sinusoidal_table(max_len, d_model))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, S, D = x.size()
        if S > self.pe.size(1):
            raise SequenceTooLong(S, self.pe.size(1))
        rows = self.pe.expand(B, -1, -1).gather(1, torch.arange(S, device=x.device)[None, :, None].expand(B, S, D))
        return F.dropout(x + rows.to(dtype=x.dtype), self.p, self.training)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0):
        super().__init__()
        self.p = dropout
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, S, D = x.size()
        if S > self.embedding.num_embeddings:
            raise SequenceTooLong(S, self.embedding.num_embeddings)
        ids = torch.arange(S, device=x.device).expand(B, S)
        return F.dropout(self.embedding(ids) + x, self.p, self.training)
