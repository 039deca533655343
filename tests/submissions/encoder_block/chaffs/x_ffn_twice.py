# fault: ffn-twice
# line: 40
# what: the FFN runs twice
import torch
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        hidden = self.linear1(x).clamp(min=0)
        return self.linear2(self.drop(hidden))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)

    def attend(self, x, mask):
        return self.self_attn(x, x, x, mask)[0]

    def forward(self, x, mask=None):
        steps = [
            (lambda y: self.attend(y, mask), self.norm1, self.drop1),
            (lambda y: self.feed_forward(self.feed_forward(y)), self.norm2, self.drop2),
        ]
        for sublayer, norm, drop in steps:
            if self.norm_first:
                x = x + drop(sublayer(norm(x)))
            else:
                x = norm(x + drop(sublayer(x)))
        return x
