# fault: causal-mask-one-axis
# line: 16
# what: positions are compared with the size, not with each other

import torch


def padding_mask(token_ids, pad_id=0):
    """True where the token is real."""
    real = torch.ne(token_ids, pad_id)
    return real.unsqueeze(1).unsqueeze(1)


def causal_mask(size, device=None):
    position = torch.arange(size, device=device)
    return position <= size


def combine_masks(padding, causal):
    return torch.logical_and(padding, causal)


def apply_mask(scores, mask):
    keep = mask.bool()
    return torch.where(keep, scores, float("-inf"))
