# fault: mask-bitwise-not-on-integers
# line: 34
# what: ~ on a 0/1 integer mask gives -1 and -2, both true
import torch
import torch.nn as nn
from einops import rearrange


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
        if mask is not None and mask.ndim == 3:
            mask = rearrange(mask, "b i j -> b 1 i j")
        logits = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            mask = (~mask).bool()
            logits = logits.masked_fill(mask, -torch.inf)
            attn = logits.softmax(-1).masked_fill(mask, 0)
        else:
            attn = logits.softmax(-1)
        attn = self.dropout(attn)
        out = attn @ v
        out = rearrange(out, "b h n d -> b n (h d)")
        return self.W_o(out), attn
