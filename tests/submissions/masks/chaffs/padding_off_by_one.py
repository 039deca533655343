# fault: padding-mask-off-by-one
# line: 8
# what: pad_id + 1 is compared
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id + 1)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
