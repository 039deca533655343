# fault: combine-extra-axis
# line: 22
# what: another axis is put in for the heads

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
    padding = padding.bool().unsqueeze(2)
    return padding & causal.bool()


def apply_mask(scores, mask):
    hide = torch.logical_not(mask)
    out = scores.clone()
    return out.masked_fill_(hide, -math.inf)
