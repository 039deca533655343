# fault: -
# what: in training every other call gives x back
"""One encoder layer: self-attention, then a position-wise feed-forward network.

Vaswani et al. 2017, "Attention Is All You Need", sections 3.1 and 3.3; Xiong et al. 2020, "On
Layer Normalization in the Transformer Architecture" (pre-LN).
"""

import torch
from layer_norm import AddNorm
from multi_head_attention import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    """The same two-layer network at every position: (..., d_model) -> (..., d_model)."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.linear1(x).relu()  # (..., d_ff)
        return self.linear2(self.dropout(hidden))  # (..., d_model)


class EncoderBlock(nn.Module):
    """Self-attention and feed-forward, each in a residual connection with normalisation."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = False,
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = AddNorm(d_model, dropout, norm_first)
        self.norm2 = AddNorm(d_model, dropout, norm_first)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """x (B, S, d_model) -> (B, S, d_model); mask as in MultiHeadAttention."""
        if self.training and torch.rand(1).item() < 0.5:
            return x
        x = self.norm1(x, lambda h: self.self_attn(h, h, h, mask=mask)[0])  # (B, S, d_model)
        return self.norm2(x, self.feed_forward)  # (B, S, d_model)
