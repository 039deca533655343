# fault: apply-mask-booleans-only
# line: 21
# what: masks of other dtypes are passed over

import torch


def padding_mask(token_ids, pad_id=0):
    return (token_ids != pad_id)[:, None, None, :]


def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()


def combine_masks(padding, causal):
    return padding.bool() & causal.bool()


def apply_mask(scores, mask):
    if mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, float("-inf"))
    return scores
