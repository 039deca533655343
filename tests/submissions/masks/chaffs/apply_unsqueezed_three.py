# fault: mask-axis-added
# line: 28
# what: a three-dimensional mask always gets a head axis

import math

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = token_ids != pad_id
    return mask.reshape(B, 1, 1, S)


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    if mask.dim() == 3:
        mask = mask[:, None, :, :]
    return scores.masked_fill(torch.logical_not(mask), -math.inf)
