# style: as short as it gets, returns a list
import torch.nn as nn
from attention import scaled_dot_product_attention as attend


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads: raise ValueError("d_model % num_heads")
        self.h = num_heads
        for n in "qkvo": self.add_module(f"W_{n}", nn.Linear(d_model, d_model, bias=bias))
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        qkv = [f(x).reshape(*x.shape[:2], self.h, -1).transpose(1, 2) for f, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))]
        y, w = attend(*qkv, mask=mask.unsqueeze(1) if mask is not None and mask.ndim == 3 else mask, dropout=self.drop)
        return [self.W_o(y.transpose(1, 2).reshape(query.shape)), w]
