# fault: device-hard-coded
# tier: edge
# line: 14
# what: a mask of ones is made on the CPU when there is none

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, key)
    shape = logits.shape
    keep = torch.ones(shape, dtype=torch.bool) if mask is None else mask.bool()
    logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    probs = logits.softmax(-1)
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
