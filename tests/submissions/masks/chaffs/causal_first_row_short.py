# fault: causal-mask-row-left-out
# line: 18
# what: the loop over rows starts at one

import math

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = token_ids != pad_id
    return mask.reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    rows = torch.zeros(size, size, device=device)
    for i in range(1, size):
        rows[i, : i + 1] = 1
    return rows.bool()


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    hide = torch.logical_not(mask)
    out = scores.clone()
    return out.masked_fill_(hide, -math.inf)
