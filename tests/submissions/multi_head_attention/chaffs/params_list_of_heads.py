# fault: parameters-not-registered
# line: 15
# what: a plain list of per-head linears
import torch
import torch.nn as nn
from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        d_k = d_model // num_heads
        self.W_q = [nn.Linear(d_model, d_k, bias=bias) for _ in range(num_heads)]
        self.W_k = [nn.Linear(d_model, d_k, bias=bias) for _ in range(num_heads)]
        self.W_v = [nn.Linear(d_model, d_k, bias=bias) for _ in range(num_heads)]
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        outs, ws = [], []
        for i, (wq, wk, wv) in enumerate(zip(self.W_q, self.W_k, self.W_v)):
            m = mask
            if m is not None and m.dim() == 4:
                m = m[:, i] if m.size(1) > 1 else m[:, 0]
            o, w = scaled_dot_product_attention(wq(query), wk(key), wv(value), m, self.dropout)
            outs.append(o)
            ws.append(w)
        return self.W_o(torch.cat(outs, dim=-1)), torch.stack(ws, dim=1)
