# fault: padding-mask-keeps-first-pad
# line: 11
# what: the first padding token is taken for the end of the sentence

import torch


def padding_mask(token_ids, pad_id=0):
    pads_so_far = (token_ids == pad_id).cumsum(dim=-1)
    first = (token_ids == pad_id) & (pads_so_far <= 1)
    mask = (token_ids != pad_id) | first
    return mask[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask == 0, float("-inf"))
