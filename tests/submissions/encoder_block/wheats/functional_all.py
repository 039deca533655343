# style: F.layer_norm with the modules' parameters, dropout by a scaled bernoulli, walrus assignments
import torch
import torch.nn.functional as F
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(torch.relu_(self.linear1(x)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.keep, self.order = 1 - dropout, "pre" if norm_first else "post"

    def noise(self, like):
        if not self.training or self.keep == 1:
            return 1.0
        if self.keep == 0:
            return 0.0
        return torch.empty_like(like).bernoulli_(self.keep) / self.keep

    def forward(self, x, mask=None):
        if self.order == "pre":
            a = self.self_attn(n := self.norm1(x), n, n, mask=mask)[0]
            x = x + a * self.noise(a)
            f = self.feed_forward(self.norm2(x))
            return x + f * self.noise(f)
        a = self.self_attn(x, x, x, mask=mask)[0]
        x = self.norm1(x + a * self.noise(a))
        f = self.feed_forward(x)
        return self.norm2(x + f * self.noise(f))
