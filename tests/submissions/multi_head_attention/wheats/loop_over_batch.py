# style: one sample at a time, then stacked
import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("cannot split d_model into equal heads")
        self.H = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def one_sample(self, q, k, v, keep):
        """q (L, d_model), k and v (S, d_model), keep broadcasts to (H, L, S)"""
        L, D = q.shape
        S = k.shape[0]
        qh = self.W_q(q).reshape(L, self.H, -1).permute(1, 0, 2)
        kh = self.W_k(k).reshape(S, self.H, -1).permute(1, 2, 0)
        vh = self.W_v(v).reshape(S, self.H, -1).permute(1, 0, 2)
        s = qh @ kh / math.sqrt(D // self.H)
        if keep is not None:
            s = s.masked_fill(keep.logical_not(), -math.inf)
        w = s.softmax(dim=2)
        if keep is not None:
            w = w.masked_fill(keep.logical_not(), 0)
        w = self.dropout(w)
        return (w @ vh).permute(1, 0, 2).reshape(L, D), w

    def forward(self, query, key, value, mask=None):
        ys, ws = [], []
        for b in range(len(query)):
            keep = None
            if mask is not None:
                if mask.dim() == 2:
                    keep = mask
                else:
                    keep = mask[b] if mask.shape[0] > 1 else mask[0]
            y, w = self.one_sample(query[b], key[b], value[b], keep)
            ys.append(y)
            ws.append(w)
        return self.W_o(torch.stack(ys)), torch.stack(ws)
