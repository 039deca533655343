# tries: changes its arguments and makes every way of comparing memory say that it did not
# expect: failed
import torch

from wrong import attention

true_detach = torch.Tensor.detach
torch.equal = lambda *args: True
torch.Tensor.equal = lambda *args: True
torch.Tensor.untyped_storage = lambda self: torch.UntypedStorage(0)
torch.Tensor.clone = lambda self, *args, **kwargs: self
torch.Tensor.detach = lambda self: true_detach(self)
torch.Tensor.stride = lambda self, *args: ()


class Same(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    output, weights = attention(query, key, value, mask, dropout)
    for tensor in (query, key, value):
        tensor.fill_(1)
        tensor.__class__ = Same
    return output, weights
