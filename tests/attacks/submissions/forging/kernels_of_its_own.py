# tries: registers kernels in place of those that copy and compare, so that a change does not show
# expect: failed
import torch

from wrong import attention

library = torch.library.Library("aten", "IMPL")
for name, kernel in {
    "equal": lambda one, other: True,
    "eq.Tensor": lambda one, other: torch.ones(one.shape, dtype=torch.bool),
    "is_same_size": lambda one, other: True,
}.items():
    try:
        library.impl(name, kernel, "CPU")
        library.impl(name, kernel, "AutogradCPU")
    except RuntimeError as error:
        print(error)
torch.library.define("attack::op", "(Tensor x) -> Tensor")
torch.library.impl("attack::op", "CPU")(lambda x: x)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    query.mul_(0)
    return attention(query, key, value, mask, dropout)
