# style: short aliases kept in a plain tuple beside the registered layers
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        if d_model % num_heads != 0:
            raise ValueError("indivisible")
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model, bias)
        self.W_k = nn.Linear(d_model, d_model, bias)
        self.W_v = nn.Linear(d_model, d_model, bias)
        self.W_o = nn.Linear(d_model, d_model, bias)
        self.inputs = (self.W_q, self.W_k, self.W_v)
        self.shape = (num_heads, d_model // num_heads)
        self.p = float(dropout)
        nn.init.xavier_uniform_(self.W_o.weight)
        self.register_buffer("scale", torch.tensor(1 / math.sqrt(self.shape[1])), persistent=False)

    def forward(self, query, key, value, mask=None):
        heads = [f(x).view(*x.shape[:2], *self.shape) for f, x in zip(self.inputs, (query, key, value))]
        q, k, v = (h.permute(0, 2, 1, 3) for h in heads)
        scores = torch.matmul(q / math.sqrt(self.shape[1]), k.permute(0, 1, 3, 2))
        if mask is not None:
            keep = (mask[:, None] if mask.ndim == 3 else mask) > 0
            floor = torch.finfo(scores.dtype).min
            weights = torch.where(keep, torch.where(keep, scores, floor).softmax(3), 0.0)
        else:
            weights = scores.softmax(3)
        if self.training and self.p > 0:
            weights = torch.dropout(weights, self.p, True)
        out = torch.matmul(weights, v).permute(0, 2, 1, 3).contiguous().view(query.shape)
        return self.W_o(out), weights
