# fault: affine-wrong-shape
# line: 14
# what: weight 和 bias 是标量, 不是 (d_model,)
import torch
import torch.nn.functional as F
from torch import nn


class LayerNorm(nn.Module):
    # 手写层归一化
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        # 只在最后一维上统计
        方差, 均值 = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        标准差 = torch.sqrt(方差 + self.eps)
        结果 = (x - 均值) / 标准差
        return 结果 * self.weight + self.bias


class AddNorm(LayerNorm):
    # 残差 + 归一化
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.p = dropout
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        归一 = super().forward
        if self.norm_first:
            # 先归一化, 再进子层
            结果 = x + F.dropout(sublayer(归一(x)), self.p, self.training)
        else:
            # 先残差, 再归一化
            结果 = 归一(x + F.dropout(sublayer(x), self.p, self.training))
        return 结果
