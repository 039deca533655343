# fault: padding-mask-all-true
# line: 13
# what: a mask of ones, which nobody fills in

import math

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    mask = torch.ones(B, 1, 1, S, dtype=torch.bool, device=token_ids.device)
    mask.masked_fill(token_ids.view_as(mask) == pad_id, False)
    return mask


def causal_mask(size, device=None):
    future = torch.triu(torch.ones(size, size, device=device), diagonal=1)
    return future == 0


def combine_masks(padding, causal):
    both = padding * causal
    return both != 0


def apply_mask(scores, mask):
    hide = torch.logical_not(mask)
    out = scores.clone()
    return out.masked_fill_(hide, -math.inf)
