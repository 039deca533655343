# style: torch.logspace for the wavelengths, torch.where on broadcast parities, ModuleDict for the dropout
import torch
from torch import nn, Tensor


def sinusoidal_table(max_len: int, d_model: int) -> Tensor:
    n = (d_model + 1) // 2
    top = 4.0 * 2 * (n - 1) / d_model
    wavelengths = torch.logspace(0.0, top, n, base=10.0, dtype=torch.float64)
    angle = torch.arange(max_len).to(torch.float64).view(-1, 1).div(wavelengths)  # (max_len, n)
    both = torch.stack([torch.sin(angle), torch.cos(angle)])  # (2, max_len, n)
    return both.permute(1, 2, 0).reshape(max_len, 2 * n)[:, :d_model].to(torch.float32)


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model).view(1, max_len, -1))
        self.parts = nn.ModuleDict({"dropout": nn.Dropout(p=dropout)})

    def forward(self, x: Tensor) -> Tensor:
        S = x.shape[1]
        try:
            rows = self.pe.narrow(1, 0, S)
        except RuntimeError as error:
            raise ValueError(f"cannot take {S} of {self.pe.shape[1]} positions") from error
        return self.parts["dropout"](torch.add(rows, x))


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.parts = nn.ModuleDict({"dropout": nn.Dropout(p=dropout)})

    def forward(self, x: Tensor) -> Tensor:
        S = x.shape[1]
        try:
            rows = self.embedding(torch.arange(S, device=x.device))
        except IndexError as error:
            raise ValueError(f"cannot take {S} of {self.embedding.num_embeddings} positions") from error
        return self.parts["dropout"](torch.add(rows, x))
