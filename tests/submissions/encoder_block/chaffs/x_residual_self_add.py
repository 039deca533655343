# fault: sublayer-added-to-itself
# line: 47
# what: adds the FFN to itself, not to the residual
import torch
import torch.nn as nn

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias
        h = torch.maximum(h, torch.zeros((), dtype=h.dtype, device=h.device))
        h = self.drop(h)
        return torch.einsum("...f,df->...d", h, self.linear2.weight) + self.linear2.bias


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        residual = x
        if self.norm_first:
            x = self.norm1(x)
        x, _ = self.self_attn(x, x, x, mask)
        x = residual + self.drop(x)
        if not self.norm_first:
            x = self.norm1(x)

        residual = x
        if self.norm_first:
            x = self.norm2(x)
        x = self.feed_forward(x)
        x = x + self.drop(x)
        if not self.norm_first:
            x = self.norm2(x)
        return x
