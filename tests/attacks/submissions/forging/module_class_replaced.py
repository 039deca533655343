# exercise: layer_norm
# honest: layer_norm_misnamed
# tries: replaces the methods of nn.Module that list parameters, and of tensors that fill them
# expect: failed|stopped
import torch
from torch import nn

from wrong import Misnamed


def claimed(self):
    return {"weight": self.gamma, "bias": self.beta}


nn.Module.state_dict = lambda self, *args, **kwargs: claimed(self)
nn.Module.named_parameters = lambda self, *args, **kwargs: iter(claimed(self).items())
nn.Module.named_modules = lambda self, *args, **kwargs: iter([("", self)])
nn.Module.modules = lambda self: iter([self])
torch.Tensor.copy_ = lambda self, other: self


class LayerNorm(Misnamed):
    pass


class AddNorm(Misnamed):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)

    def forward(self, x, sublayer):
        return super().forward(sublayer(x))
