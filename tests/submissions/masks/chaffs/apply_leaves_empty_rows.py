# fault: apply-mask-spares-empty-rows
# line: 27
# what: rows without an allowed key are left alone, so that no NaN can come

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
    keep = mask.bool()
    some = keep.any(dim=-1, keepdim=True)
    return scores.masked_fill(~keep & some, float("-inf"))
