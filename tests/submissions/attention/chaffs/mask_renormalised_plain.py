# fault: mask-after-softmax-renormalised
# tier: edge
# line: 13
# what: zeroed after the softmax and renormalised: 0/0 in an empty row
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    attn = (query @ key.mT * query.size(-1) ** -0.5).softmax(-1)
    if mask is not None:
        attn = attn.masked_fill(mask.logical_not(), 0.0)
        attn = attn / attn.sum(-1, keepdim=True)
    if dropout is not None:
        attn = dropout(attn)
    return attn @ value, attn
