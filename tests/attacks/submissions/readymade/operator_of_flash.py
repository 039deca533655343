# tries: calls the kernel for the processor directly
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    lead = query.shape[:-2]
    query, key, value = (t.reshape(1, -1, *t.shape[-2:]) for t in torch.broadcast_tensors(query, query)[:1] + (key, value))
    bias = None if keep is None else torch.zeros(keep.shape, dtype=query.dtype).masked_fill(~keep, float("-inf"))
    found = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, attn_mask=bias)
    return found[0].reshape(*lead, query.shape[-2], -1)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
