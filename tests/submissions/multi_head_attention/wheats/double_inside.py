# style: attention in float64, back to the input's dtype, weights without gradient
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if num_heads * (d_model // num_heads) != d_model:
            raise ValueError("d_model is not a multiple of num_heads")
        self.d_model, self.num_heads = d_model, num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout) if dropout > 0 else nn.Identity()

    def forward(self, query, key, value, mask=None):
        kind = query.dtype
        q, k, v = (
            torch.reshape(t, (t.shape[0], t.shape[1], self.num_heads, -1)).double()
            for t in (self.W_q(query), self.W_k(key), self.W_v(value))
        )
        a = torch.einsum("blhd,bshd->bhls", q, k) / (self.d_model // self.num_heads) ** 0.5
        if mask is not None:
            keep = mask != 0
            keep = keep.unsqueeze(1) if keep.dim() == 3 else keep
            a = torch.where(keep, a, -1e300).softmax(-1) * keep
        else:
            a = a.softmax(-1)
        a = self.dropout(a)
        out = torch.einsum("bhls,bshd->blhd", a, v).flatten(2).to(kind)
        return self.W_o(out), a.to(kind).detach()
