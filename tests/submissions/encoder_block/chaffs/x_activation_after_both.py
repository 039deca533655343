# fault: activation-after-second-linear
# line: 18
# what: ReLU in the middle and once more at the end
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
        return self.linear2(self.dropout(self.linear1(x).relu())).relu()


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = AddNorm(d_model, dropout, norm_first)
        self.norm2 = AddNorm(d_model, dropout, norm_first)

    def forward(self, x, mask=None):
        x = self.norm1(x, lambda y: self.self_attn(y, y, y, mask=mask)[0])
        return self.norm2(x, self.feed_forward)
