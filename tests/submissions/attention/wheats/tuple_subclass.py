# style: the result is a tuple subclass with named properties
import math

import torch


class AttentionResult(tuple):
    @property
    def output(self):
        return self[0]

    @property
    def weights(self):
        return self[1]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    logits = (query @ key.transpose(-2, -1)) / math.sqrt(key.shape[-1])
    if mask is not None:
        banned = mask.eq(0)
        logits = logits.masked_fill(banned, torch.finfo(logits.dtype).min)
    probs = torch.nn.Softmax(dim=-1)(logits)
    if mask is not None:
        probs = probs.masked_fill(banned, 0)
    if dropout is not None:
        probs = dropout(probs)
    return AttentionResult((probs @ value, probs))
