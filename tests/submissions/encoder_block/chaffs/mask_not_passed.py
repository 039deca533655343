# fault: mask-not-passed
# line: 41
# what: the mask does not reach the attention
import torch.nn as nn
import torch.nn.functional as F

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        h = F.linear(x, self.linear1.weight, self.linear1.bias)
        h = F.threshold(h, 0.0, 0.0)
        h = F.dropout(h, self.p, self.training)
        return F.linear(h, self.linear2.weight, self.linear2.bias)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.p, self.norm_first, self.d = dropout, norm_first, (d_model,)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def norm(self, ln, x):
        return F.layer_norm(x, self.d, ln.weight, ln.bias, ln.eps)

    def drop(self, x):
        return F.dropout(x, p=self.p, training=self.training)

    def forward(self, x, mask=None):
        if not self.norm_first:
            a = self.self_attn(x, x, x)[0]
            x = self.norm(self.norm1, x + self.drop(a))
            f = self.feed_forward(x)
            return self.norm(self.norm2, x + self.drop(f))
        n = self.norm(self.norm1, x)
        a = self.self_attn(n, n, n)[0]
        x = x + self.drop(a)
        n = self.norm(self.norm2, x)
        f = self.feed_forward(n)
        return x + self.drop(f)
