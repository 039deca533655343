# style: chunks of the projections concatenated along the batch, heads first
import torch
from attention import scaled_dot_product_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("head width is no integer")
        self.num_heads = num_heads
        for n in "qkvo":
            self.add_module(f"W_{n}", nn.Linear(d_model, d_model, bias=bias))
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        H = self.num_heads
        fold = lambda t: torch.cat(t.chunk(H, dim=-1), dim=0)  # (H*B, S, d_k), heads first
        q, k, v = fold(self.W_q(query)), fold(self.W_k(key)), fold(self.W_v(value))
        B = query.size(0)
        m = None
        if mask is not None:
            m = mask if mask.dim() == 4 else mask[:, None] if mask.dim() == 3 else mask[None, None]
            m = m.expand(B, H, query.size(1), key.size(1)).transpose(0, 1).flatten(0, 1)
        o, w = scaled_dot_product_attention(q, k, v, m, self.dropout)
        o = torch.cat(o.chunk(H, dim=0), dim=-1)
        return self.W_o(o), w.view(H, B, *w.shape[1:]).transpose(0, 1)
