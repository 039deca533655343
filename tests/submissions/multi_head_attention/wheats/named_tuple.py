# style: NamedTuple result, type annotations, small methods
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn

from attention import scaled_dot_product_attention


class AttentionResult(NamedTuple):
    output: Tensor
    weights: Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).swapaxes(1, 2)

    def _join(self, t: Tensor) -> Tensor:
        return t.swapaxes(1, 2).flatten(start_dim=2)

    @staticmethod
    def _mask4(mask: Optional[Tensor]) -> Optional[Tensor]:
        if mask is None or mask.dim() != 3:
            return mask
        return mask.unsqueeze(1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> AttentionResult:
        heads, weights = scaled_dot_product_attention(
            query=self._split(self.W_q(query)),
            key=self._split(self.W_k(key)),
            value=self._split(self.W_v(value)),
            mask=self._mask4(mask),
            dropout=self.dropout,
        )
        return AttentionResult(self.W_o(self._join(heads)), weights)
