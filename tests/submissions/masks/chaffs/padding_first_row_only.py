# fault: padding-mask-first-row
# line: 14
# what: the loop stops after the first row

import math

import torch


def padding_mask(token_ids, pad_id=0):
    rows = []
    for row in token_ids:
        rows.append(row != pad_id)
        break
    return torch.stack(rows)[:, None, None, :]


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
