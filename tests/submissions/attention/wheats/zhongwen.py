# style: Chinese comments and names, every step on its own line
import math

import torch
import torch.nn.functional as F


# 缩放点积注意力：softmax(QK^T / √d_k) V
def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    维度 = query.shape[-1]

    # 第一步：打分，形状 (..., L, S)
    键的转置 = key.transpose(-1, -2)
    分数 = query @ 键的转置
    分数 = 分数 / math.sqrt(维度)

    # 第二步：遮住不该看的位置（0 或 False 表示不能看）
    if mask is not None:
        禁止 = mask == 0
        分数 = 分数.masked_fill(禁止, -float("inf"))
        全被遮住 = 禁止.expand(分数.shape).all(dim=-1, keepdim=True)
        分数 = 分数.masked_fill(全被遮住, 0)  # 避免 NaN

    # 第三步：归一化
    权重 = F.softmax(分数, dim=-1)
    if mask is not None:
        权重 = 权重.masked_fill(全被遮住, 0)

    if dropout:
        权重 = dropout(权重)

    # 第四步：加权求和
    输出 = 权重 @ value
    return 输出, 权重
