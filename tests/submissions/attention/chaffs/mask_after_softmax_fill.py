# fault: mask-after-softmax
# line: 15
# what: masked_fill with 0, but after the softmax
import torch
import torch.nn as nn


softmax = nn.Softmax(dim=-1)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    分数 = query @ key.mT / query.size(-1) ** 0.5
    权重 = softmax(分数)
    if mask is not None:
        权重 = 权重.masked_fill(mask == 0, 0)
    if dropout is not None:
        权重 = dropout(权重)
    return 权重 @ value, 权重
