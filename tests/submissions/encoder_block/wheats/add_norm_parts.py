# style: AddNorm as the norms, a bound method as the sublayer and the mask kept on the side
from layer_norm import AddNorm
from multi_head_attention import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.act = nn.ReLU(inplace=True)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.act(self.linear1(x)))


class _Looking:
    def __init__(self, attention, mask):
        self.attention, self.mask = attention, mask

    def __call__(self, h):
        output, _weights = self.attention(h, h, h, self.mask)
        return output


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        options = dict(dropout=dropout, norm_first=norm_first, eps=1e-6)
        self.norm1 = AddNorm(d_model, **options)
        self.norm2 = AddNorm(d_model, **options)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(self, x, mask=None):
        return self.norm2(self.norm1(x, _Looking(self.self_attn, mask)), self.feed_forward)
