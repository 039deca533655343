# fault: padding-mask-over-batch
# line: 10
# what: a position is real only if it is real in every sequence

import torch


def padding_mask(token_ids, pad_id=0):
    B, S = token_ids.shape
    real = (token_ids != pad_id).all(dim=0)
    return real.expand(B, 1, 1, S)


def causal_mask(size, device=None):
    """Row i may look at the columns 0..i."""
    i = torch.arange(size, device=device)
    return i.unsqueeze(0) <= i.unsqueeze(1)


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    keep = mask.bool()
    return torch.where(keep, scores, float("-inf"))
