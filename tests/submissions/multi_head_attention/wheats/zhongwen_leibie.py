# style: 中文注释，dataclass 作为返回值的替代：普通元组
"""多头注意力：先投影，再分头，最后拼接。"""

import math

import torch
from torch import nn

from attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model（{d_model}）必须能被头数（{num_heads}）整除")
        self.头数 = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        self.丢弃 = nn.Dropout(dropout)

    def 分头(self, x):
        批, 长, 宽 = x.shape
        return x.view(批, 长, self.头数, 宽 // self.头数).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        查询, 键, 值 = self.分头(self.W_q(query)), self.分头(self.W_k(key)), self.分头(self.W_v(value))
        assert math.isclose(查询.size(-1) * self.头数, query.size(-1))
        结果, 权重 = scaled_dot_product_attention(查询, 键, 值, mask, self.丢弃)
        return self.W_o(结果.transpose(1, 2).reshape(query.shape)), 权重
