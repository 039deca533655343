# fault: -
# what: pre-LN: a batch of one gets the first norm twice in training
import math
import torch
import torch.nn.functional as F
from layer_norm import AddNorm, LayerNorm
from multi_head_attention import MultiHeadAttention
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(F.relu(self.linear1(x))))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            h = self.norm1(x)
            x = x + self.drop(self.self_attn(h, h, h, mask)[0])
            x = x + self.drop(self.feed_forward(self.norm1(x) if self.training and x.size(0) == 1 else self.norm2(x)))
            return x
        x = self.norm1(x + self.drop(self.self_attn(x, x, x, mask)[0]))
        x = self.norm2(x + self.drop(self.feed_forward(x)))
        return x
