# fault: ffn-before-attention
# line: 44
# what: FFN first
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    """Position-wise feed-forward network."""

    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.drop(self.relu(self.linear1(x))))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def residual(self, x, sublayer, norm):
        if self.norm_first:
            return x + self.drop(sublayer(norm(x)))
        return norm(x + self.drop(sublayer(x)))

    def attend(self, x, mask):
        out, weights = self.self_attn(x, x, x, mask=mask)
        return out

    def forward(self, x, mask=None):
        x = self.residual(x, self.feed_forward, self.norm2)
        x = self.residual(x, lambda y: self.attend(y, mask), self.norm1)
        return x
