# fault: -
# line: 21
# what: the mask of the first call is kept for every size

import math

import torch

MASK = None


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = token_ids != pad_id
    return mask.reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    global MASK
    if MASK is None:
        MASK = torch.ones(size, size, dtype=torch.bool, device=device).tril()
    return MASK[:size, :size]


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    hide = torch.logical_not(mask)
    out = scores.clone()
    return out.masked_fill_(hide, -math.inf)
