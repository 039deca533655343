# fault: reshape-batch-and-heads
# line: 43
# what: mask.repeat(h, 1, 1) is head-major, the scores are sample-major
import math
import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    # 多头注意力，把 batch 和头合并成一维，用 bmm
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model 必须能被 num_heads 整除")
        self.d_model = d_model
        self.h = num_heads
        self.d = d_model // num_heads
        self.p = dropout
        self.W_q = nn.Linear(d_model, d_model, bias)
        self.W_k = nn.Linear(d_model, d_model, bias)
        self.W_v = nn.Linear(d_model, d_model, bias)
        self.W_o = nn.Linear(d_model, d_model, bias)

    def fold(self, x):
        B, n, _ = x.shape
        x = x.view(B, n, self.h, self.d).transpose(1, 2)
        return x.reshape(B * self.h, n, self.d)

    def forward(self, query, key, value, mask=None):
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        # 1. 线性变换并拆成多头
        q = self.fold(self.W_q(query))
        k = self.fold(self.W_k(key))
        v = self.fold(self.W_v(value))
        # 2. 打分
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d)
        keep = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            keep = (mask != 0).expand(B, self.h, L, S)
            keep = keep.transpose(0, 1).reshape(B * self.h, L, S)
            scores = scores.masked_fill(~keep, -1e30 if scores.dtype != torch.float16 else -6e4)
        # 3. 归一化
        attn = F.softmax(scores, dim=-1)
        if keep is not None:
            attn = attn * keep
        attn = F.dropout(attn, self.p, self.training)
        # 4. 加权求和，再把头拼起来
        out = torch.bmm(attn, v)
        out = out.view(B, self.h, L, self.d).transpose(1, 2).reshape(B, L, self.d_model)
        return self.W_o(out), attn.view(B, self.h, L, S)
