# style: 中文注释；先算均值和方差，再缩放平移
import torch
from torch import nn


class LayerNorm(nn.Module):
    """层归一化：在最后一维上做。"""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))  # 增益
        self.bias = nn.Parameter(torch.zeros(d_model))  # 偏置
        self.极小值 = eps

    def forward(self, x):
        输入类型 = x.dtype
        if 输入类型 in (torch.float16, torch.bfloat16):
            x = x.float()
        均值 = x.mean(dim=-1, keepdim=True)
        方差 = x.var(dim=-1, unbiased=False, keepdim=True)
        结果 = (x - 均值) * torch.pow(方差 + self.极小值, -0.5)
        return (self.weight * 结果 + self.bias).to(输入类型)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
