# fault: mask-axis-added
# line: 21
# what: unsqueeze(1) on whatever mask comes

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    mask = mask.unsqueeze(1)
    return scores.masked_fill(mask == 0, float("-inf"))
