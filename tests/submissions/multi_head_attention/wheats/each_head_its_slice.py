# style: one head at a time, weights cut out of the linear layers
import math
from collections import namedtuple

import torch
from torch import nn
from torch.nn import functional as F

Result = namedtuple("Result", "output attention")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.d_k, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        self.dropout = nn.Dropout(p=dropout)

    def _one(self, layer, x, head):
        rows = slice(head * self.d_k, (head + 1) * self.d_k)
        return F.linear(x, layer.weight[rows], None if layer.bias is None else layer.bias[rows])

    def forward(self, query, key, value, mask=None):
        contexts, maps = [], []
        for h in range(self.num_heads):
            q = self._one(self.W_q, query, h)
            k = self._one(self.W_k, key, h)
            v = self._one(self.W_v, value, h)
            s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k)
            m = None
            if mask is not None:
                m = mask[:, min(h, mask.size(1) - 1)] if mask.dim() == 4 else mask
                s = s.masked_fill(m == 0, torch.finfo(s.dtype).min)
            w = F.softmax(s, dim=-1)
            w = w if m is None else w.masked_fill(m == 0, 0)
            w = self.dropout(w)
            contexts.append(torch.bmm(w, v))
            maps.append(w)
        return Result(self.W_o(torch.cat(contexts, -1)), torch.stack(maps, 1))
