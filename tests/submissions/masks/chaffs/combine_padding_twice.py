# fault: combine-ignores-causal
# what: padding & padding: a typo
import torch


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).tril() > 0


def combine_masks(padding, causal):
    size = causal.size(-1)
    return (padding.bool() & padding.bool()).expand(-1, -1, size, -1)


def apply_mask(scores, mask):
    return torch.where(mask.bool(), scores, float("-inf"))
