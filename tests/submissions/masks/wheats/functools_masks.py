# style: partial objects and operator functions
import operator
from functools import partial

import torch

_NEG_INF = float("-inf")
_nonzero = partial(torch.ne, other=0)


def padding_mask(token_ids, pad_id=0):
    return torch.ne(token_ids, pad_id).unflatten(-1, (1, 1, -1))


def causal_mask(size, device=None):
    return torch.full((size, size), True, device=device).triu(1).logical_not()


def combine_masks(padding, causal):
    return operator.and_(*map(lambda m: m != 0, (padding, causal)))


def apply_mask(scores, mask):
    return torch.where(mask == 0, torch.full_like(scores, _NEG_INF), scores)
