# fault: padding-mask-keeps-first-pad
# line: 10
# what: the first padding token is kept, as an end token
import torch


def padding_mask(token_ids, pad_id=0):
    pad = token_ids == pad_id
    first = pad & (pad.cumsum(dim=1) == 1)
    return (~pad | first)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
