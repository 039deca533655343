# fault: padding-mask-off-by-one
# line: 9
# what: ids are taken to start at one, so pad_id + 1 is hidden

import torch


def padding_mask(token_ids, pad_id=0):
    real = token_ids != pad_id + 1
    return real[:, None, None, :]


def causal_mask(size, device=None):
    """Row i may look at the columns 0..i."""
    i = torch.arange(size, device=device)
    return i.unsqueeze(0) <= i.unsqueeze(1)


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    keep = mask.bool()
    return torch.where(keep, scores, float("-inf"))
