# fault: padding-mask-inverted, combine-with-or
# line: 8
# what: hide masks throughout: True means padding, combined with or
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.eq(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    pos = torch.arange(size, device=device)
    return pos[:, None] >= pos[None, :]


def combine_masks(padding, causal):
    return padding.bool() | causal.bool()


def apply_mask(scores, mask):
    out = scores.clone()
    out[(mask == 0).expand(scores.shape)] = float("-inf")
    return out
