# fault: causal-mask-one-axis
# line: 12
# what: a mask of one dimension
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.arange(size, device=device) >= 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
