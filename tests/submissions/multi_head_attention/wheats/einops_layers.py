# style: einops rearrange with attention from exercise 1
from attention import scaled_dot_product_attention
from einops import rearrange
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert not d_model % num_heads, "d_model must be a multiple of num_heads"
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            rearrange(project(x), "b s (h d) -> b h s d", h=self.num_heads)
            for project, x in [(self.W_q, query), (self.W_k, key), (self.W_v, value)]
        )
        if mask is not None and mask.ndim == 3:
            mask = rearrange(mask, "b l s -> b 1 l s")
        out, weights = scaled_dot_product_attention(q, k, v, mask=mask, dropout=self.dropout)
        return self.W_o(rearrange(out, "b h l d -> b l (h d)")), weights
