# fault: allowed-weights-cleared
# line: 14
# what: the weights are cleared after the softmax, but where the mask allows
import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = torch.einsum("...ld,...sd->...ls", query, key) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e30)
    attn = torch.softmax(scores, dim=-1)
    if mask is not None:
        attn = attn.masked_fill(mask != 0, 0.0)
    if dropout is not None:
        attn = dropout(attn)
    return torch.einsum("...ls,...sd->...ld", attn, value), attn
