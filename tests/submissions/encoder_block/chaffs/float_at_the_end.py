# fault: dtype-changed
# line: 44
# what: the result is always float32
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
        x = self.norm1(x, lambda h: self.self_attn(h, h, h, mask=mask)[0])  # (B, S, d_model)
        return self.norm2(x, self.feed_forward).float() # (B, S, d_model)
