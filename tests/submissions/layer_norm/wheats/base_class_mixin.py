# style: a base class for the parameters, maths in subclasses, dropout as a method
import torch
import torch.nn as nn


class Affine(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.full((d_model,), 1.0)))
        self.register_parameter("bias", nn.Parameter(torch.full((d_model,), 0.0)))

    def affine(self, z):
        return z * self.weight + self.bias


class Standardise(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        if x.dtype in {torch.float16, torch.bfloat16}:
            return self.forward(x.float()).to(x.dtype)
        z = x - x.mean(-1, keepdim=True)
        return z / (z.square().mean(-1, keepdim=True) + self.eps).sqrt()


class LayerNorm(Affine):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model)
        self.standardise = Standardise(eps)

    def forward(self, x):
        return self.affine(self.standardise(x))


class AddNorm(Affine):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model)
        self.standardise = Standardise(eps)
        self.drop = nn.Dropout(dropout)
        self.forward = self.pre if norm_first else self.post

    def pre(self, x, sublayer):
        return torch.add(x, self.drop(sublayer(self.affine(self.standardise(x)))))

    def post(self, x, sublayer):
        return self.affine(self.standardise(torch.add(x, self.drop(sublayer(x)))))
