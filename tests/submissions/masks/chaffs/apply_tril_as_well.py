# fault: apply-mask-causal-too
# line: 27
# what: the scores are made causal whatever the mask says

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
    L, S = scores.shape[-2:]
    past = torch.ones(L, S, dtype=torch.bool, device=scores.device).tril()
    keep = mask.bool() & past
    return scores.masked_fill(~keep, float("-inf"))
