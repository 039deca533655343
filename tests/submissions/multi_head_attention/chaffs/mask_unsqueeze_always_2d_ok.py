# fault: mask-per-head-lost
# line: 32
# what: a 4-D mask has its head axis thrown away: only head 0's mask is used
import torch.nn as nn
from einops import rearrange

from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    """Multi-head attention on top of my scaled_dot_product_attention."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model=} {num_heads=}")
        self.heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.W_q(query)
        k = self.W_k(key)
        v = self.W_v(value)
        q = rearrange(q, "b n (h d) -> b h n d", h=self.heads)
        k = rearrange(k, "b n (h d) -> b h n d", h=self.heads)
        v = rearrange(v, "b n (h d) -> b h n d", h=self.heads)
        if mask is not None and mask.ndim == 4:
            mask = mask[:, :1]
        elif mask is not None and mask.ndim == 3:
            mask = rearrange(mask, "b i j -> b 1 i j")
        out, attn = scaled_dot_product_attention(q, k, v, mask=mask, dropout=self.dropout)
        out = rearrange(out, "b h n d -> b n (h d)")
        return self.W_o(out), attn
