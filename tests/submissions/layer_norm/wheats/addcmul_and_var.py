# style: torch.var with correction=0, addcmul, half through float32
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.empty(d_model).fill_(1.0)))
        self.register_parameter("bias", nn.Parameter(torch.empty(d_model).fill_(0.0)))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.float32) if x.element_size() < 4 else x
        var = wide.var(dim=-1, correction=0, keepdim=True)
        hat = (wide - wide.mean(dim=-1, keepdim=True)).div(var.add(self.eps).sqrt())
        out = torch.addcmul(self.bias.to(hat.dtype), hat, self.weight.to(hat.dtype))
        return out.type_as(x)


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x, sublayer):
        if not self.norm_first:
            return super().forward(x + self.dropout(sublayer(x)))
        return x + self.dropout(sublayer(super().forward(x)))
