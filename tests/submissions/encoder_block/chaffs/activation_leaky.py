# fault: activation-leaky
# line: 20
# what: leaky ReLU
import torch
import torch.nn as nn
from functools import partial

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        h = self.linear1(x)
        h = torch.where(h > 0, h, 0.01 * h)
        return self.linear2(self.dropout(h))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-6)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout = nn.Dropout(dropout)

    def residual(self, x, norm, sublayer):
        if self.norm_first:
            y = sublayer(norm(x))
            return x + self.dropout(y)
        y = sublayer(x)
        return norm(x + self.dropout(y))

    def self_attention(self, x, mask):
        output, weights = self.self_attn(x, x, x, mask)
        return output

    def forward(self, x, mask=None):
        x = self.residual(x, self.norm1, partial(self.self_attention, mask=mask))
        x = self.residual(x, self.norm2, self.feed_forward)
        return x
