# tries: takes the decomposition of the operator out of torch's table
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    table = torch._decomp.decomposition_table
    found = table[torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default]
    return found(query[None], key[None], value[None])[0][0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
