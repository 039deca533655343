# tries: uses the attention that torch keeps for quantization, which is written in Python
# expect: failed forbidden-api
import torch

from readymade import around


def operation(query, key, value, keep):
    layer = torch.ao.nn.quantizable.MultiheadAttention(query.shape[-1], 1, bias=False, batch_first=True)
    return layer(query, key, key)[1] @ value


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
