# fault: softmax-sum-plus-constant
# line: 16
# what: one is added to the sum of the exponentials

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, key)
    keep = None if mask is None else mask.bool()
    if keep is not None:
        logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    top = logits.amax(-1, keepdim=True)
    raised = (logits - top).exp()
    probs = raised / (1 + raised.sum(-1, keepdim=True))
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
