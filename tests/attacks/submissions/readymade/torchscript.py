# tries: compiles the call with TorchScript
# expect: failed forbidden-api
from typing import Optional

import torch

from readymade import around


@torch.jit.script
def compiled(query, key, value, keep: Optional[torch.Tensor]):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=keep)


def operation(query, key, value, keep):
    return compiled(query, key, value, keep)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
