# style: each head sent through its slice of W_o, and the outputs summed
import math
import torch
import torch.nn.functional as F
from torch import nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    """output = sum over heads of head_h W_o[:, h]^T + b, which is the same as concatenating."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        dk = self.W_q.out_features // self.heads
        m4 = mask if mask is None else mask.view((1,) * (4 - mask.dim()) + tuple(mask.shape)) if mask.dim() != 3 else mask.unsqueeze(1)
        total = 0
        all_w = []
        for h in range(self.heads):
            sl = slice(h * dk, (h + 1) * dk)
            part = lambda lin, x: F.linear(x, lin.weight[sl], None if lin.bias is None else lin.bias[sl])
            mh = None if m4 is None else (m4[:, h] if m4.size(1) > 1 else m4[:, 0])
            o, w = scaled_dot_product_attention(part(self.W_q, query), part(self.W_k, key), part(self.W_v, value), mh, self.dropout)
            total = total + o @ self.W_o.weight[:, sl].T
            all_w.append(w)
        if self.W_o.bias is not None:
            total = total + self.W_o.bias
        return total, torch.stack(all_w, dim=1)
