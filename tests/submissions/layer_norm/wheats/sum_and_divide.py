# style: sums divided by d_model, flattened to two dimensions and back, with prints
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        print("LayerNorm in:", x.shape, x.dtype)
        shape = x.shape
        rows = x.reshape(-1, shape[-1])
        if x.element_size() < 4:  # half precision
            rows = rows.to(torch.float32)
        mean = rows.sum(dim=1, keepdim=True) / shape[-1]
        diff = rows - mean
        var = (diff * diff).sum(dim=1, keepdim=True) / shape[-1]
        out = (diff / torch.sqrt(var + self.eps)).type_as(x)
        print("LayerNorm row mean:", float(out.detach().float().mean()))
        return (out * self.weight + self.bias).view(shape)


class AddNorm(LayerNorm):
    """Residual connection round any sublayer, with the norm before or after."""

    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super(AddNorm, self).__init__(d_model, eps=eps)
        self.drop = nn.Dropout(p=dropout)
        self.pre = norm_first

    def norm(self, t):
        return LayerNorm.forward(self, t)

    def forward(self, x, sublayer):
        h = self.norm(x) if self.pre else x
        y = self.drop(sublayer(h))
        out = x + y
        if not self.pre:
            out = self.norm(out)
        return out
