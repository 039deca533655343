# fault: padding-mask-shape
# what: the axes are added at the end
import torch


def padding_mask(token_ids, pad_id=0):
    keep = token_ids != pad_id
    return keep.view(*keep.shape, 1, 1)


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
