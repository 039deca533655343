# fault: scale-by-d-model
# edge: fully-masked-row-nan
# line: 11
# what: divided by sqrt(S), the number of keys
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    d_k = key.size(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn
