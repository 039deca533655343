# fault: softmax-wrong-axis
# line: 17
# what: heads are flattened into the axis of the softmax

import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    q = query / query.size(-1) ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, key)
    keep = None if mask is None else mask.bool()
    if keep is not None:
        logits = logits.masked_fill(~keep, torch.finfo(logits.dtype).min)
    if logits.dim() == 4:
        B, H, L, S = logits.shape
        flat = logits.transpose(1, 2).reshape(B, L, H * S)
        probs = flat.softmax(-1).view(B, L, H, S).transpose(1, 2)
    else:
        probs = logits.softmax(-1)
    if keep is not None:
        probs = probs * keep
    probs = probs if dropout is None else dropout(probs)
    context = torch.einsum("...qk,...kd->...qd", probs, value)
    return context, probs
