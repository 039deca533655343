# fault: dropout-on-residual
# line: 38
# what: dropout on the sum: x is dropped too
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


def same(x):
    return x


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.middle = nn.Sequential(nn.ReLU(), nn.Dropout(dropout))

    def forward(self, x):
        return self.linear2(self.middle(self.linear1(x)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drops = nn.ModuleList([nn.Dropout(dropout), nn.Dropout(dropout)])
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        before1, after1 = (self.norm1, same) if self.norm_first else (same, self.norm1)
        before2, after2 = (self.norm2, same) if self.norm_first else (same, self.norm2)
        y = before1(x)
        x = after1(self.drops[0](x + self.self_attn(y, y, y, mask=mask)[0]))
        x = after2(self.drops[1](x + self.feed_forward(before2(x))))
        return x
