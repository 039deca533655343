# fault: mask-only-in-training
# edge: fully-masked-row-uniform
# line: 44
# what: the mask is applied in training mode only
import math
import torch
import torch.nn as nn


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super(MultiHeadAttention, self).__init__()
        assert d_model % num_heads == 0
        self.d_k = d_model // num_heads
        self.h = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        # 1) do all the linear projections in batch
        query = self.W_q(query).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
        key = self.W_k(key).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
        value = self.W_v(value).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
        # 2) apply attention on all the projected vectors
        x, attn = attention(query, key, value, mask=mask if self.training else None, dropout=self.dropout)
        # 3) concat and apply a final linear
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.W_o(x), attn
