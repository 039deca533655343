# style: getattr over numbered names in a loop, norms and sublayers zipped, no dropout inside
import torch
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        for name, (i, o) in {"linear1": (d_model, d_ff), "linear2": (d_ff, d_model)}.items():
            setattr(self, name, nn.Linear(i, o))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        for step in (self.linear1, torch.relu, self.dropout, self.linear2):
            x = step(x)
        return x


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        for k in (1, 2):
            self.add_module(f"norm{k}", LayerNorm(d_model))
            self.add_module(f"dropout{k}", nn.Dropout(dropout))
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        sublayers = {1: lambda h: self.self_attn(h, h, h, mask=mask)[0], 2: self.feed_forward}
        for k, sublayer in sublayers.items():
            norm, drop = getattr(self, f"norm{k}"), getattr(self, f"dropout{k}")
            x = x + drop(sublayer(norm(x))) if self.norm_first else norm(x + drop(sublayer(x)))
        return x
