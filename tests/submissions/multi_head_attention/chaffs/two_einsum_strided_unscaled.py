# fault: heads-interleaved, missing-scale
# what: strided heads and no scale, in einsum
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            f(x).unflatten(2, (self.d_k, self.num_heads))
            for f, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value))
        )
        a = torch.einsum("bidh,bjdh->bhij", q, k)
        if mask is not None:
            gone = (mask if mask.ndim != 3 else mask[:, None]).logical_not()
            a = a.where(~gone, torch.finfo(a.dtype).min).softmax(-1).where(~gone, 0)
        else:
            a = a.softmax(-1)
        a = self.dropout(a)
        merged = torch.einsum("bhij,bjdh->bihd", a, v).flatten(2)
        return self.W_o(merged), a
