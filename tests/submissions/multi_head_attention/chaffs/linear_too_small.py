# fault: projection-too-small
# line: 16
# what: nn.Linear(d_model, d_k): one head's worth of features
import torch
import torch.nn as nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_k, bias=bias)
        self.W_k = nn.Linear(d_model, d_k, bias=bias)
        self.W_v = nn.Linear(d_model, d_k, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 4:
            mask = mask[:, 0]
        heads = [
            scaled_dot_product_attention(self.W_q(query), self.W_k(key), self.W_v(value), mask, self.dropout)
            for _ in range(self.num_heads)
        ]
        return self.W_o(torch.cat([h[0] for h in heads], -1)), torch.stack([h[1] for h in heads], 1)
