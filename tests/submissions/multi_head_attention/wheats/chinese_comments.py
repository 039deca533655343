# style: 中文注释与变量名，内联注意力，带调试打印
import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """多头注意力"""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        # 维度必须能被头数整除
        assert d_model % num_heads == 0, "d_model 必须能被 num_heads 整除"
        self.头数 = num_heads
        self.每头维度 = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.丢弃 = nn.Dropout(dropout)

    def 拆分(self, 张量):
        批, 长, _ = 张量.shape
        return 张量.view(批, 长, self.头数, self.每头维度).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        查询, 键, 值 = self.拆分(self.W_q(query)), self.拆分(self.W_k(key)), self.拆分(self.W_v(value))
        分数 = torch.matmul(查询, 键.transpose(-2, -1)) / math.sqrt(self.每头维度)
        print("分数形状:", 分数.shape)
        if mask is not None:
            if mask.dim() == 3:  # 三维掩码：每个样本一张，补上头这一维
                mask = mask.unsqueeze(1)
            不可见 = mask == 0
            分数 = 分数.masked_fill(不可见, float("-inf"))
        权重 = torch.softmax(分数, dim=-1)
        if mask is not None:
            权重 = 权重.masked_fill(不可见, 0.0)  # 全部被遮住的行：全零而不是 NaN
        权重 = self.丢弃(权重)
        结果 = torch.matmul(权重, 值).transpose(1, 2).reshape(query.size(0), query.size(1), -1)
        print("输出形状:", 结果.shape)
        return self.W_o(结果), 权重
