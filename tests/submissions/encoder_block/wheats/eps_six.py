# style: nn.LayerNorm with eps=1e-6, separate _post and _pre methods chosen at construction
import torch.nn as nn
from torch.nn import functional as F

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.rate = dropout

    def forward(self, x):
        hidden = F.relu(self.linear1(x), inplace=True)
        hidden = F.dropout(hidden, p=self.rate, training=self.training)
        return self.linear2(hidden)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = (nn.LayerNorm(d_model, eps=1e-6) for _ in range(2))
        self.rate = dropout
        self.run = self._pre if norm_first else self._post

    def _drop(self, x):
        return F.dropout(x, p=self.rate, training=self.training)

    def _post(self, x, mask):
        out = self.self_attn(x, x, x, mask=mask)
        x = self.norm1(self._drop(out[0]) + x)
        return self.norm2(self._drop(self.feed_forward(x)) + x)

    def _pre(self, x, mask):
        n = self.norm1(x)
        out = self.self_attn(n, n, n, mask=mask)
        x = self._drop(out[0]) + x
        return self._drop(self.feed_forward(self.norm2(x))) + x

    def forward(self, x, mask=None):
        return self.run(x, mask)
