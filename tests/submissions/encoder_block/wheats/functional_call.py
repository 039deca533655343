# style: sublayers called through torch.func.functional_call
import torch
from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention
from torch import nn
from torch.func import functional_call

class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.drop(self.linear1(x).relu()))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.norm_first = norm_first

    def ffn(self, t):
        return functional_call(self.feed_forward, dict(self.feed_forward.named_parameters()), (t,))

    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.drop1(self.self_attn(n, n, n, mask)[0])
            return x + self.drop2(self.ffn(self.norm2(x)))
        x = self.norm1(x + self.drop1(self.self_attn(x, x, x, mask)[0]))
        return self.norm2(x + self.drop2(self.ffn(x)))
