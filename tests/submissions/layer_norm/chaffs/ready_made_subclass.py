# fault: forbidden-api
# line: 8
# what: subclasses nn.LayerNorm
import torch
import torch.nn as nn


class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps=eps)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        if self.norm_first:
            return x + self.dropout(sublayer(super().forward(x)))
        return super().forward(x + self.dropout(sublayer(x)))
