# style: a base class with slots that subclasses of the module fill; the block holds its parts in a list too
from torch import nn
import torch

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class _Sublayers(nn.Module):
    def __init__(self, d_model, dropout, norm_first):
        super().__init__()
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.regularise = nn.Dropout(dropout)
        self.norm_first = norm_first

    def apply_sublayer(self, norm, sublayer, x, *rest):
        inner = norm(x) if self.norm_first else x
        inner = sublayer(inner, *rest)
        if isinstance(inner, tuple):
            inner, *_ = inner
        total = x + self.regularise(inner)
        return total if self.norm_first else norm(total)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(torch.nn.functional.relu(self.linear1(x))))


class EncoderBlock(_Sublayers):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__(d_model, dropout, norm_first)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def forward(self, x, mask=None):
        def look(h, m):
            return self.self_attn(h, h, h, mask=m)

        x = self.apply_sublayer(self.norm1, look, x, mask)
        return self.apply_sublayer(self.norm2, self.feed_forward, x)
