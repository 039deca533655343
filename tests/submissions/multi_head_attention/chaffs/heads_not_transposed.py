# fault: heads-not-transposed
# edge: fully-masked-row-nan
# line: 24
# what: (B, S, H, d_k) used as it is: every position attends over its own heads
import torch
import torch.nn as nn
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B = query.size(0)
        q = self.W_q(query).view(B, -1, self.h, query.size(-1) // self.h)
        k = self.W_k(key).view(B, -1, self.h, key.size(-1) // self.h)
        v = self.W_v(value).view(B, -1, self.h, value.size(-1) // self.h)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        w = self.dropout(torch.softmax(scores, dim=-1))
        out = (w @ v).reshape(B, -1, query.size(-1))
        return self.W_o(out), w
