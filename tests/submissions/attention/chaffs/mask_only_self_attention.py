# fault: mask-only-sometimes
# line: 12
# what: the mask is used only where there are as many keys as queries

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, key)
    keep = None
    if mask is not None and query.size(-2) == key.size(-2):
        keep = mask.bool()
        logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    probs = logits.softmax(-1)
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
