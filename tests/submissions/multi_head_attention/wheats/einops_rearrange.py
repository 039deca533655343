# style: einops.rearrange and a finite fill, empty rows zeroed afterwards
import torch
from einops import rearrange
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = rearrange(self.W_q(query), "b l (h d) -> b h l d", h=self.num_heads)
        k = rearrange(self.W_k(key), "b s (h d) -> b h d s", h=self.num_heads)
        v = rearrange(self.W_v(value), "b s (h d) -> b h s d", h=self.num_heads)
        sim = (q @ k) * q.shape[-1] ** -0.5
        if mask is not None:
            if mask.ndim == 3:
                mask = rearrange(mask, "b l s -> b 1 l s")
            keep = mask != 0
            sim = sim.masked_fill(~keep, torch.finfo(sim.dtype).min)
        attn = sim.softmax(dim=-1)
        if mask is not None:
            attn = attn * keep.any(dim=-1, keepdim=True)
        attn = self.dropout(attn)
        out = rearrange(attn @ v, "b h l d -> b l (h d)")
        return self.W_o(out), attn
