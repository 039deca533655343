# fault: combine-inverts-one
# line: 22
# what: the causal mask is taken for a hide mask

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
    future = causal.bool()
    return padding.bool() & ~future


def apply_mask(scores, mask):
    keep = mask.bool()
    return torch.where(keep, scores, float("-inf"))
