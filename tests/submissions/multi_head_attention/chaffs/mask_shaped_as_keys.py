# fault: mask-taken-for-padding
# line: 45
# what: a mask with the shape of the keys is read as padding
"""Multi-head attention.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2.
"""

import torch
from attention import scaled_dot_product_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    """Project, attend in ``num_heads`` subspaces of size d_k, concatenate, project back."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model {d_model} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, x: torch.Tensor) -> torch.Tensor:
        """(B, S, d_model) -> (B, H, S, d_k)"""
        return x.unflatten(-1, (self.num_heads, self.d_k)).transpose(1, 2)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """query (B, L, d_model), key and value (B, S, d_model) -> (B, L, d_model), (B, H, L, S)

        mask keeps where True: (L, S), (B, 1, S), (B, L, S), or broadcasting to (B, H, L, S).
        """
        if mask is not None and mask.shape == key.shape[:2]:
            mask = mask[:, None, None, :]  # (B, S) key padding
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, L, S): one mask per batch element, for all heads

        q = self.split_heads(self.W_q(query))  # (B, H, L, d_k)
        k = self.split_heads(self.W_k(key))  # (B, H, S, d_k)
        v = self.split_heads(self.W_v(value))  # (B, H, S, d_k)

        heads, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        concat = heads.transpose(1, 2).flatten(-2)  # (B, H, L, d_k) -> (B, L, d_model)
        return self.W_o(concat), weights  # (B, L, d_model), (B, H, L, S)
