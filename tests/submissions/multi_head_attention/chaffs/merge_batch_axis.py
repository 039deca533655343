# fault: reshape-batch-and-heads
# line: 51
# what: permute(2, 0, 1, 3) 再 reshape: 批与序列混在一起
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    # 手写多头注意力
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model 要能被 num_heads 整除")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        batch_size, len_q, _ = query.shape
        len_k = key.shape[1]
        # 线性变换
        Q = self.W_q(query)
        K = self.W_k(key)
        V = self.W_v(value)
        # 拆成多头: (B, S, D) -> (B, H, S, d)
        Q = Q.view(batch_size, len_q, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        K = K.view(batch_size, len_k, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        V = V.view(batch_size, len_k, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        # 打分
        scores = torch.matmul(Q, K.permute(0, 1, 3, 2)) / math.sqrt(self.head_dim)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = mask.bool()
            scores = scores.masked_fill(~mask, float('-inf'))
        # 归一化
        attn = torch.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(~mask, 0)
        attn = self.dropout(attn)
        # 加权求和
        context = torch.matmul(attn, V)
        # 合并多头
        context = context.permute(2, 0, 1, 3).reshape(batch_size, len_q, self.d_model)
        output = self.W_o(context)
        return output, attn
