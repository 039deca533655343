# fault: padding-mask-ignores-pad-id
# what: token_ids.bool() is true wherever the id is not zero
import torch


def padding_mask(token_ids, pad_id=0):
    keep = token_ids.bool()
    return keep.unsqueeze(1).unsqueeze(2)


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
