# fault: causal-mask-all-false
# line: 13
# what: tril of zeros

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.zeros(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
