# fault: key-is-query
# line: 10
# what: the key is compared with the key

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    k = key / key.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", k, key)
    keep = None if mask is None else mask.bool()
    if keep is not None:
        logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    probs = logits.softmax(-1)
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
