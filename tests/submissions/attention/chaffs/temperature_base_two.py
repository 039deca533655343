# fault: softmax-temperature
# line: 15
# what: powers of two in place of exponentials

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, key)
    keep = None if mask is None else mask.bool()
    if keep is not None:
        logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    top = logits.amax(-1, keepdim=True)
    powers = 2 ** (logits - top)
    probs = powers / powers.sum(-1, keepdim=True)
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
