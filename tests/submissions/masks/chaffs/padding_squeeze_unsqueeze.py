# fault: padding-mask-squeezed
# line: 11
# what: squeeze() makes (S, 1, 1) of a batch of one

import math

import torch


def padding_mask(token_ids, pad_id=0):
    mask = torch.squeeze(token_ids != pad_id)
    mask = mask.unsqueeze(1)
    mask = mask.unsqueeze(1)
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
