# fault: apply-mask-changes-scores
# line: 25
# what: the scores are scaled here too

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
    scores = scores / scores.shape[-1] ** 0.5
    return scores.masked_fill(mask == 0, float("-inf"))
