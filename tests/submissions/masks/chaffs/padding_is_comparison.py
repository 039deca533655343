# fault: padding-mask-all-true
# line: 8
# what: `is not` compares objects, not numbers
import torch


def padding_mask(token_ids, pad_id=0):
    keep = torch.full(token_ids.shape, token_ids is not pad_id)
    return keep[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
