# fault: norm-twice
# line: 38
# what: pre-LN: normalised once more at the end
from collections import OrderedDict

from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__(OrderedDict(
            linear1=nn.Linear(d_model, d_ff),
            act=nn.ReLU(),
            drop=nn.Dropout(dropout),
            linear2=nn.Linear(d_ff, d_model),
        ))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(self, x, mask=None):
        h = self.norm1(x) if self.pre else x
        x = x + self.drop(self.self_attn(h, h, h, mask)[0])
        if not self.pre:
            x = self.norm1(x)
        h = self.norm2(x) if self.pre else x
        x = x + self.drop(self.feed_forward(h))
        return self.norm2(x)
