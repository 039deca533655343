# fault: projection-detached
# line: 45
# what: key detached
import torch
from torch import nn

from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    """Multi-head attention on top of exercise 1."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads

        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.attn_dropout = nn.Dropout(p=dropout)

    def split_heads(self, x):
        # (B, S, D) -> (B, H, S, d)
        B, S, D = x.shape
        x = x.reshape(B, S, self.num_heads, self.head_dim)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        # (B, H, S, d) -> (B, S, D)
        B, H, S, d = x.shape
        x = x.permute(0, 2, 1, 3)
        return x.reshape(B, S, H * d)

    def expand_mask(self, mask):
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        return mask

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.W_q(query))
        k = self.split_heads(self.W_k(key.detach()))
        v = self.split_heads(self.W_v(value))
        mask = self.expand_mask(mask)
        context, weights = scaled_dot_product_attention(q, k, v, mask=mask, dropout=self.attn_dropout)
        context = self.merge_heads(context)
        output = self.W_o(context)
        return output, weights
