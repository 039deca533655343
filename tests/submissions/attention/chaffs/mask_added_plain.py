# fault: mask-added-as-bool
# edge: fully-masked-row-uniform
# line: 14
# what: the keep mask is added to the scores as if it were a bias
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    attn_logits = torch.matmul(query, key.transpose(-2, -1))
    attn_logits = attn_logits / math.sqrt(query.size(-1))
    if mask is not None:
        attn_logits += mask
    attention = torch.softmax(attn_logits, dim=-1)
    if dropout is not None:
        attention = dropout(attention)
    return torch.matmul(attention, value), attention
