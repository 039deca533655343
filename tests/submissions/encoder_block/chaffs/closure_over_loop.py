# fault: attention-replaced-by-ffn
# line: 52
# what: late binding: both sublayers are the FFN
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
        hidden = torch.relu(self.linear1(x))
        hidden = self.drop(hidden)
        return self.linear2(hidden)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop1 = nn.Dropout(dropout)
        self.drop2 = nn.Dropout(dropout)
        self.norm_first = norm_first

    def _pre(self, x, mask):
        n1 = self.norm1(x)
        attn, _ = self.self_attn(n1, n1, n1, mask)
        h = x + self.drop1(attn)
        n2 = self.norm2(h)
        ffn = self.feed_forward(n2)
        return h + self.drop2(ffn)

    def _post(self, x, mask):
        attn, _ = self.self_attn(x, x, x, mask)
        h = self.norm1(x + self.drop1(attn))
        ffn = self.feed_forward(h)
        return self.norm2(h + self.drop2(ffn))

    def forward(self, x, mask=None):
        subs = []
        for f in (lambda t: self.self_attn(t, t, t, mask)[0], self.feed_forward):
            subs.append(lambda t: f(t))
        for norm, drop, sub in zip((self.norm1, self.norm2), (self.drop1, self.drop2), subs):
            x = x + drop(sub(norm(x))) if self.norm_first else norm(x + drop(sub(x)))
        return x
