# fault: projection-detached
# line: 41
# what: the heads are joined through Python lists (tolist), which cuts the graph
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads: raise ValueError('d_model must be divisible by num_heads')
        self.d_model, self.n, self.p = d_model, num_heads, dropout
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, query, key, value, mask=None):
        Q, K, V = self.W_q(query), self.W_k(key), self.W_v(value)
        batch, L, _ = Q.shape
        S = K.shape[1]
        d = self.d_model // self.n
        keep = torch.ones(batch, self.n, L, S, dtype=torch.bool, device=Q.device)
        if mask is not None:
            m = mask.bool()
            if m.dim() == 3:
                m = m.unsqueeze(1)
            keep = keep & m
        outs, attns = [], []
        for i in range(self.n):
            q, k, v = (t[..., i * d:(i + 1) * d] for t in (Q, K, V))
            s = q @ k.transpose(1, 2)
            s = s * d ** -0.5
            s = s.masked_fill(~keep[:, i], -float('inf'))
            a = F.softmax(s, dim=2)
            a = torch.where(keep[:, i], a, torch.zeros_like(a))
            a = F.dropout(a, self.p, self.training)
            outs.append(a @ v)
            attns.append(a)
        y = torch.tensor([o.tolist() for o in outs], dtype=Q.dtype).permute(1, 2, 0, 3).flatten(2)
        return self.W_o(y), torch.stack(attns, dim=1)
