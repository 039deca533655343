# style: one nn.Dropout shared by FFN and block through the constructor, Sequential closures
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.dropout = dropout if isinstance(dropout, nn.Module) else nn.Dropout(dropout)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.body = lambda t: self.linear2(self.dropout(self.linear1(t).clip(min=0.0)))

    def forward(self, x):
        return self.body(x)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        shared = nn.Dropout(dropout)
        self.dropout = shared
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, shared)
        self.norm1 = nn.LayerNorm(d_model, 1e-8)
        self.norm2 = nn.LayerNorm(d_model, 1e-8)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        attend = lambda t: self.self_attn(t, t, t, mask)[0]
        drop = self.dropout
        if self.norm_first:
            x = x + drop(attend(self.norm1(x)))
            x = x + drop(self.feed_forward(self.norm2(x)))
            return x
        x = self.norm1(x + drop(attend(x)))
        x = self.norm2(x + drop(self.feed_forward(x)))
        return x
