# fault: norm-first-ignored, residual-of-normalised
# line: 36
# what: one order for both settings, and the sums start from the normalised x
import torch
import torch.nn as nn
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        out = self.linear1(x)
        out = torch.relu(out)
        out = self.dropout(out)
        out = self.linear2(out)
        return out


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x)
        attn, w = self.self_attn(x, x, x, mask)
        x = x + self.dropout(attn)
        x = self.norm2(x)
        x = x + self.dropout(self.feed_forward(x))
        return x
