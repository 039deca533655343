# style: softmax in float32 for half precision, cast back; nan_to_num for empty rows
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError
        self.n_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, num_heads * self.head_dim, bias=bias)
        self.W_k = nn.Linear(d_model, num_heads * self.head_dim, bias=bias)
        self.W_v = nn.Linear(d_model, num_heads * self.head_dim, bias=bias)
        self.W_o = nn.Linear(num_heads * self.head_dim, d_model, bias=bias)
        self.dropout = dropout

    def forward(self, query, key, value, mask=None):
        bsz, q_len, _ = query.shape
        kv_len = key.shape[1]
        xq = self.W_q(query).view(bsz, q_len, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        xk = self.W_k(key).view(bsz, kv_len, self.n_heads, self.head_dim).permute(0, 2, 3, 1)
        xv = self.W_v(value).view(bsz, kv_len, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        if xq.dtype in (torch.float16, torch.bfloat16):
            scores = xq.float() @ xk.float()
        else:
            scores = xq @ xk
        scores = scores * self.head_dim ** -0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None, :, :]
            scores = scores.masked_fill(mask == 0, float("-inf"))
        probs = torch.nan_to_num(F.softmax(scores, dim=-1), nan=0.0).to(xq.dtype)
        probs = F.dropout(probs, self.dropout, self.training)
        out = (probs @ xv).permute(0, 2, 1, 3).contiguous().view(bsz, q_len, -1)
        return self.W_o(out), probs
