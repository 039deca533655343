# fault: padding-mask-compares-order
# line: 9
# what: everything from pad_id on is kept

import torch


def padding_mask(token_ids, pad_id=0):
    mask = token_ids >= pad_id
    return mask[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
