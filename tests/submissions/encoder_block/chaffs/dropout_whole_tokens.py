# fault: dropout-whole-positions
# line: 34
# what: Dropout1d on the output of the attention drops whole tokens
import torch
import torch.nn as nn

from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super(FeedForward, self).__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = self.linear1(x)
        x = self.relu(x)
        x = self.dropout(x)
        x = self.linear2(x)
        return x


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super(EncoderBlock, self).__init__()
        self.norm_first = norm_first
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout1d(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        if self.norm_first:
            x_norm = self.norm1(x)
            attn_out, _ = self.self_attn(x_norm, x_norm, x_norm, mask)
            x = x + self.dropout1(attn_out)
            x_norm = self.norm2(x)
            ffn_out = self.feed_forward(x_norm)
            x = x + self.dropout2(ffn_out)
        else:
            attn_out, _ = self.self_attn(x, x, x, mask)
            x = self.norm1(x + self.dropout1(attn_out))
            ffn_out = self.feed_forward(x)
            x = self.norm2(x + self.dropout2(ffn_out))
        return x
