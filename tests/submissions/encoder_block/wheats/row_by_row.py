# style: the FFN one position after another, the attention one sequence after another
import torch
from torch import nn

from layer_norm import LayerNorm
from multi_head_attention import MultiHeadAttention


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        columns = []
        for position in x.unbind(dim=-2):
            hidden = self.linear1(position)
            hidden = hidden * (hidden > 0)
            columns.append(self.linear2(self.dropout(hidden)))
        return torch.stack(columns, dim=-2)


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        h = self.norm1(x) if self.norm_first else x
        rows = []
        for b in range(h.shape[0]):
            one = h[b : b + 1]
            m = mask
            if mask is not None and mask.dim() > 2 and mask.shape[0] > 1:
                m = mask[b : b + 1]
            rows.append(self.self_attn(one, one, one, m)[0])
        x = x + self.dropout(torch.cat(rows, dim=0))
        if self.norm_first:
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x)
        return self.norm2(x + self.dropout(self.feed_forward(x)))
