# fault: parameter-names
# line: 28
# what: nn.LayerNorm(bias=False)
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
        x = F.relu(self.linear1(x))
        x = F.dropout(x, p=self.p, training=self.training)
        return self.linear2(x)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.p = dropout
        self.norm_first = norm_first
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model, bias=False)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout)

    def add_and_norm(self, x, norm, sublayer):
        y = norm(x) if self.norm_first else x
        y = sublayer(y)
        y = F.dropout(y, p=self.p, training=self.training)
        y = x + y
        return y if self.norm_first else norm(y)

    def forward(self, x, mask=None):
        x = self.add_and_norm(x, self.norm1, lambda t: self.self_attn(t, t, t, mask=mask)[0])
        x = self.add_and_norm(x, self.norm2, self.feed_forward)
        return x
