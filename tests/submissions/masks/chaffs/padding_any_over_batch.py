# fault: padding-mask-over-batch
# line: 8
# what: a key counts as real if it is real in any sample
import torch


def padding_mask(token_ids, pad_id=0):
    real = (token_ids != pad_id).any(dim=0, keepdim=True).expand_as(token_ids)
    return real[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
