# fault: mask-bitwise-not-on-integers
# line: 12
# what: (~mask).bool(): ~1 is -2 and ~0 is -1, so every key is forbidden (silent)
import torch


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        if mask.is_floating_point():
            mask = mask.long()
        forbidden = (~mask).bool()
        scores = scores.masked_fill(forbidden, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1).masked_fill(forbidden, 0)
    else:
        weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ value, weights
