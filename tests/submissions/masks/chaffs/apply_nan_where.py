# fault: apply-mask-filled-with-nan
# line: 26
# what: not a number stands for no score

import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    real = torch.ne(token_ids, pad_id)
    return real.unsqueeze(1).unsqueeze(1)


def causal_mask(size, device=None):
    """Row i may look at the columns 0..i."""
    i = torch.arange(size, device=device)
    return i.unsqueeze(0) <= i.unsqueeze(1)


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    nothing = torch.full_like(scores, torch.nan)
    return torch.where(mask != 0, scores, nothing)
