# fault: d-ff-ignored
# line: 25
# what: the inner width is always four times d_model
from torch import nn

from layer_norm import AddNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(self.linear1(x).relu()))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, 4 * d_model, dropout)
        self.norm1 = AddNorm(d_model, dropout, norm_first)
        self.norm2 = AddNorm(d_model, dropout, norm_first)

    def forward(self, x, mask=None):
        x = self.norm1(x, lambda y: self.self_attn(y, y, y, mask=mask)[0])
        return self.norm2(x, self.feed_forward)
