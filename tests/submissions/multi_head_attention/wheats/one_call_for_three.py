# style: the three projections in one product of concatenated weights
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Cross-attention needs three inputs: the packed product is used only when they are one."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        if num_heads <= 0 or d_model % num_heads:
            raise ValueError(f"d_model={d_model} % num_heads={num_heads} != 0")
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def project(self, query: Tensor, key: Tensor, value: Tensor):
        if query is key and key is value:
            weight = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
            bias = None
            if self.W_q.bias is not None:
                bias = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
            return F.linear(query, weight, bias).chunk(3, dim=-1)
        return self.W_q(query), self.W_k(key), self.W_v(value)

    def forward(self, query, key, value, mask=None):
        B, L, D = query.shape
        q, k, v = (t.view(B, -1, self.num_heads, D // self.num_heads).transpose(1, 2) for t in self.project(query, key, value))
        scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(k.size(-1)))
        if mask is not None:
            mask = mask.reshape(B, 1, *mask.shape[1:]) if mask.dim() == 3 else mask
            bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
            bias = bias.masked_fill(mask == 0, torch.finfo(scores.dtype).min / 2)
            scores = scores + bias
        p = scores.softmax(dim=-1)
        if mask is not None:
            p = p * (mask != 0)
        p = F.dropout(p, p=self.dropout, training=self.training)
        return self.W_o((p @ v).transpose(1, 2).contiguous().view(B, L, D)), p
