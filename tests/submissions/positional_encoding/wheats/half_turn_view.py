# style: einops-free reshape through (max_len, n, 2), padding an odd width, keyword-only extras with defaults
import torch
from torch import nn
from torch.nn.functional import pad


def sinusoidal_table(max_len, d_model, *, base=1e4, dtype=torch.float32):
    n = d_model - d_model // 2
    table = torch.empty(max_len, n, 2, dtype=torch.float64)
    freq = base ** (torch.arange(n, dtype=torch.float64).mul(-2).div(d_model))
    theta = torch.arange(max_len, dtype=torch.float64).unsqueeze(-1) * freq.unsqueeze(0)
    table[..., 0], table[..., 1] = theta.sin(), theta.cos()
    return table.view(max_len, -1).narrow(1, 0, d_model).to(dtype).contiguous()


class SinusoidalPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0, base=1e4):
        super().__init__()
        self.register_buffer("pe", sinusoidal_table(max_len, d_model, base=base)[None, ...])
        self.dropout = nn.Dropout(dropout) if dropout else None

    def forward(self, x):
        missing = x.shape[1] - self.pe.shape[1]
        if missing > 0:
            raise ValueError(f"{x.shape[1]} tokens, {self.pe.shape[1]} rows")
        y = x + pad(self.pe, (0, 0, 0, missing))  # a negative padding cuts
        return y if self.dropout is None else self.dropout(y)


class LearnedPositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(dropout) if dropout else None

    def forward(self, x):
        missing = x.shape[1] - self.embedding.num_embeddings
        if missing > 0:
            raise ValueError(f"{x.shape[1]} tokens, {self.embedding.num_embeddings} rows")
        y = x + pad(self.embedding.weight, (0, 0, 0, missing))
        return y if self.dropout is None else self.dropout(y)
