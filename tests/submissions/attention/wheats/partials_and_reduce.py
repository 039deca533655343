# style: a pipeline of functools.partial objects folded with reduce
import math
from functools import partial, reduce

import torch


def _scale(scores, *, root):
    return scores / root


def _hide(scores, *, keep):
    some = keep.any(dim=-1, keepdim=True)
    return scores.masked_fill(torch.logical_and(torch.logical_not(keep), some), float("-inf"))


def _empty(weights, *, keep):
    return weights.masked_fill(~keep, 0)


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    keep = None if mask is None else mask.to(torch.bool)
    stages = [partial(_scale, root=math.sqrt(key.shape[-1]))]
    if keep is not None:
        stages.append(partial(_hide, keep=keep))
    stages.append(partial(torch.softmax, dim=-1))
    if keep is not None:
        stages.append(partial(_empty, keep=keep))
    if dropout is not None:
        stages.append(dropout)
    weights = reduce(lambda x, f: f(x), stages, query @ key.transpose(-1, -2))
    return weights @ value, weights
