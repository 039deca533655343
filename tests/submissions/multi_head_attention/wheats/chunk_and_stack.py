# style: chunk the features, stack the heads as a new axis
import torch
import torch.nn as nn
from attention import scaled_dot_product_attention as sdpa


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        q, r = divmod(d_model, num_heads)
        if r or q == 0:
            raise ValueError("num_heads has to divide d_model")
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        return torch.stack(x.chunk(self.h, dim=-1), dim=1)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
        o, w = sdpa(self.heads(self.W_q(query)), self.heads(self.W_k(key)), self.heads(self.W_v(value)), mask, self.drop)
        return self.W_o(torch.cat(o.unbind(1), dim=-1)), w
