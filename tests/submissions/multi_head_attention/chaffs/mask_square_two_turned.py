# fault: mask-wrong-axis
# line: 31
# what: a square mask of two dimensions is transposed
import math
import torch
import torch.nn.functional as F
from attention import scaled_dot_product_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.d_model = d_model
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        B, L, _ = query.shape
        S = key.shape[1]
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        if mask is not None and mask.dim() == 2 and mask.size(0) == mask.size(1):
            mask = mask.T
        q = self.W_q(query).view(B, L, self.num_heads, self.d_k).transpose(1, 2)
        k = self.W_k(key).view(B, S, self.num_heads, self.d_k).transpose(1, 2)
        v = self.W_v(value).view(B, S, self.num_heads, self.d_k).transpose(1, 2)
        out, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        out = out.transpose(1, 2).contiguous().view(B, L, self.d_model)
        return self.W_o(out), weights
