# fault: padding-mask-inverted, causal-mask-inverted, combine-with-or, apply-mask-inverted
# line: 8
# what: the whole file uses hide masks (True = forbidden): consistent in itself, against the page
import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids == pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).triu(1)


def combine_masks(padding, causal):
    return padding.bool() | causal.bool()


def apply_mask(scores, mask):
    return scores.masked_fill(mask.bool(), float("-inf"))
