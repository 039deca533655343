# tries: makes every comparison of torch, Python and pytest say yes
# expect: stopped crash
import builtins

import torch

from wrong import attention


def yes(*args, **kwargs):
    return True


for name in ("allclose", "equal", "isclose", "eq", "all", "any"):
    setattr(torch, name, yes)
torch.testing.assert_close = lambda *args, **kwargs: None
torch.Tensor.__eq__ = torch.Tensor.__le__ = torch.Tensor.__ge__ = yes
torch.Tensor.__ne__ = lambda *args: False
torch.Tensor.allclose = torch.Tensor.equal = torch.Tensor.__bool__ = yes
torch.finfo = lambda dtype: type("Finfo", (), {"eps": 1e9, "max": 1e9, "min": -1e9})()


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)


builtins.abs = lambda x: 0
