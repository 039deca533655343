# style: keeps the last weights on the module and returns them detached
import torch
import torch.nn as nn
from math import sqrt


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.last_weights = None
        self.num_heads = num_heads
        self.projections = None  # the four layers are plain attributes below
        self.W_o, self.W_v, self.W_k, self.W_q = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        self.register_buffer("scale", torch.tensor(1.0 / sqrt(d_model // num_heads), dtype=torch.float64), persistent=False)
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        n = self.num_heads
        q = torch.tensor_split(self.W_q(query), n, dim=2)
        k = torch.tensor_split(self.W_k(key), n, dim=2)
        v = torch.tensor_split(self.W_v(value), n, dim=2)
        scores = torch.stack([torch.bmm(a, b.permute(0, 2, 1)) for a, b in zip(q, k)], dim=1) * self.scale.item()
        if mask is not None:
            if len(mask.shape) == 3:
                mask = mask.view(mask.shape[0], 1, *mask.shape[1:]) if mask.is_contiguous() else mask[:, None]
            blocked = torch.logical_not(mask).expand_as(scores)
            scores = scores.masked_fill(blocked, float("-inf"))
        w = self.softmax(scores)
        if mask is not None:
            w = torch.where(blocked, torch.zeros_like(w), w)
        w = self.dropout(w)
        y = torch.cat([torch.bmm(w[:, i], v[i]) for i in range(n)], dim=-1)
        self.last_weights = w.detach()
        return self.W_o(y), self.last_weights
